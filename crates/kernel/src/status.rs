//! RM statuses as a type.

use abi::nv::status as nv;
use rustix::io::Errno;

/// An RM status other than `NV_OK`: what a parameter struct's `status` field carries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Status(pub u32);

/// Result of an RM operation.
pub type RmResult<T = ()> = Result<T, Status>;

impl std::fmt::Debug for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({:#x})", nv::name(self.0), self.0)
    }
}

macro_rules! statuses {
    ($($(#[$meta:meta])* $name:ident = $nv:ident,)*) => {
        impl Status { $($(#[$meta])* pub const $name: Self = Self(nv::$nv);)* }
    };
}

statuses! {
    /// Not now.
    ILLEGAL_ACTION = NV_ERR_ILLEGAL_ACTION,
    /// Taken.
    IN_USE = NV_ERR_IN_USE,
    /// A limit of this kernel half.
    INSUFFICIENT_RESOURCES = NV_ERR_INSUFFICIENT_RESOURCES,
    /// Not yours.
    INSUFFICIENT_PERMISSIONS = NV_ERR_INSUFFICIENT_PERMISSIONS,
    /// Bad pointer or address.
    INVALID_ADDRESS = NV_ERR_INVALID_ADDRESS,
    /// Bad argument.
    INVALID_ARGUMENT = NV_ERR_INVALID_ARGUMENT,
    /// No such channel.
    INVALID_CHANNEL = NV_ERR_INVALID_CHANNEL,
    /// The chip has no such class.
    INVALID_CLASS = NV_ERR_INVALID_CLASS,
    /// No such client, or another process's.
    INVALID_CLIENT = NV_ERR_INVALID_CLIENT,
    /// No such device.
    INVALID_DEVICE = NV_ERR_INVALID_DEVICE,
    /// Unknown function number.
    INVALID_FUNCTION = NV_ERR_INVALID_FUNCTION,
    /// Limit field out of range.
    INVALID_LIMIT = NV_ERR_INVALID_LIMIT,
    /// No such object.
    INVALID_OBJECT_HANDLE = NV_ERR_INVALID_OBJECT_HANDLE,
    /// Object of another kind.
    INVALID_OBJECT = NV_ERR_INVALID_OBJECT,
    /// Object to free does not exist.
    INVALID_OBJECT_OLD = NV_ERR_INVALID_OBJECT_OLD,
    /// No such parent, or of another kind.
    INVALID_OBJECT_PARENT = NV_ERR_INVALID_OBJECT_PARENT,
    /// Offset out of range.
    INVALID_OFFSET = NV_ERR_INVALID_OFFSET,
    /// Size of the parameters.
    INVALID_PARAM_STRUCT = NV_ERR_INVALID_PARAM_STRUCT,
    /// Null or bad pointer.
    INVALID_POINTER = NV_ERR_INVALID_POINTER,
    /// Not in this state.
    INVALID_STATE = NV_ERR_INVALID_STATE,
    /// The handle is taken.
    INSERT_DUPLICATE_NAME = NV_ERR_INSERT_DUPLICATE_NAME,
    /// Memory or descriptors are spent.
    NO_MEMORY = NV_ERR_NO_MEMORY,
    /// Unknown command.
    NOT_SUPPORTED = NV_ERR_NOT_SUPPORTED,
    /// Not there.
    OBJECT_NOT_FOUND = NV_ERR_OBJECT_NOT_FOUND,
    /// The system failed.
    OPERATING_SYSTEM = NV_ERR_OPERATING_SYSTEM,
    /// A mapping is parked there already.
    STATE_IN_USE = NV_ERR_STATE_IN_USE,
    /// The GPU process did not answer.
    TIMEOUT = NV_ERR_TIMEOUT,
    /// The GPU process is gone.
    GPU_IS_LOST = NV_ERR_GPU_IS_LOST,
    /// The VA range is taken.
    UVM_ADDRESS_IN_USE = NV_ERR_UVM_ADDRESS_IN_USE,
    /// Done before.
    NOTHING_TO_DO = NV_WARN_NOTHING_TO_DO,
    /// A buffer of the caller's is too small.
    BUFFER_TOO_SMALL = NV_ERR_BUFFER_TOO_SMALL,
}

impl From<Errno> for Status {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::FAULT => Self::INVALID_ADDRESS,
            Errno::NOMEM | Errno::MFILE | Errno::NFILE | Errno::NOSPC => Self::NO_MEMORY,
            Errno::INVAL => Self::INVALID_ARGUMENT,
            Errno::OPNOTSUPP => Self::NOT_SUPPORTED,
            _ => Self::OPERATING_SYSTEM,
        }
    }
}

/// The number for the `status` field.
#[must_use]
pub fn code(result: RmResult) -> u32 {
    result.map_or_else(|s| s.0, |()| nv::NV_OK)
}
