//! The resource manager's client side: objects, controls and mappings, through the door.

use std::sync::atomic::{AtomicU32, Ordering};

use abi::nv::alloc_params::*;
use abi::nv::control_params::*;
use abi::nv::escape_params::*;
use abi::nv::sizes::{Sizes, Version};
use abi::nv::uvm_params::*;
use abi::nv::{classes, escapes, status};
use cuda_abi::driver::CUresult;
use door::{DoorError, File, Mapping, Node, Protection};
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes};

use crate::boundary::complain;

/// An RM handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Object(pub u32);

/// Why a request to the kernel half failed.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum RmError {
    /// The door: no server, server gone, bad parameter.
    #[error("{what}: {error}")]
    Door {
        /// The request.
        what: &'static str,
        /// What the door says.
        error: DoorError,
    },
    /// The kernel half answered with a status.
    #[error("{what}: {}", status::name(*code))]
    Status {
        /// The request.
        what: &'static str,
        /// RM status.
        code: u32,
    },
}

impl RmError {
    /// The RM status, if it is one.
    pub(crate) fn code(&self) -> Option<u32> {
        match self {
            Self::Status { code, .. } => Some(*code),
            Self::Door { .. } => None,
        }
    }

    /// The CUDA result that fits. Running out of memory is the program's normal business; the rest is told on standard
    /// error, because a bare code would not say what broke.
    pub(crate) fn result(&self) -> CUresult {
        match self {
            Self::Status { code, .. } => match *code {
                status::NV_ERR_NO_MEMORY | status::NV_ERR_INSUFFICIENT_RESOURCES => {
                    CUresult::OUT_OF_MEMORY
                }
                status::NV_ERR_INVALID_ADDRESS => CUresult::INVALID_VALUE,
                status::NV_ERR_NOT_SUPPORTED => CUresult::NOT_SUPPORTED,
                status::NV_ERR_INSUFFICIENT_PERMISSIONS => CUresult::NOT_PERMITTED,
                _ => {
                    complain(&self.to_string());
                    CUresult::UNKNOWN
                }
            },
            Self::Door { error, .. } => {
                complain(&self.to_string());
                match error {
                    DoorError::Forked => CUresult::NOT_INITIALIZED,
                    DoorError::Permission(_) => CUresult::NOT_PERMITTED,
                    DoorError::Version { .. } | DoorError::WrongDriver(_) => {
                        CUresult::SYSTEM_DRIVER_MISMATCH
                    }
                    DoorError::KmdNotFound(_) | DoorError::CannotStart(_) => CUresult::NO_DEVICE,
                    DoorError::BadDoor(_) => CUresult::NO_DEVICE,
                    DoorError::ServerGone | DoorError::Timeout(_) => CUresult::SYSTEM_NOT_READY,
                    DoorError::Errno(_) | DoorError::Protocol(_) => CUresult::UNKNOWN,
                    DoorError::Os { .. } => CUresult::OPERATING_SYSTEM,
                }
            }
        }
    }
}

impl From<RmError> for CUresult {
    fn from(error: RmError) -> Self {
        error.result()
    }
}

/// A parameter struct whose size depends on the advertised driver version.
pub(crate) trait Params: FromBytes + IntoBytes + Immutable {
    /// NVIDIA's name, for the size table.
    const NAME: &'static str;
}

macro_rules! params {
    ($($name:ident,)*) => { $(impl Params for $name { const NAME: &'static str = $name::NAME; })* };
}

params! {
    NV0000_ALLOC_PARAMETERS, NV0080_ALLOC_PARAMETERS, NV2080_ALLOC_PARAMETERS, NV_MEMORY_ALLOCATION_PARAMS,
    NV_VASPACE_ALLOCATION_PARAMETERS, NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS, NV_CTXSHARE_ALLOCATION_PARAMETERS,
    NV_CHANNEL_ALLOC_PARAMS, NV_GR_ALLOCATION_PARAMETERS, NVB0B5_ALLOCATION_PARAMETERS, NV_HOPPER_USERMODE_A_PARAMS,
    NV0000_CTRL_SYSTEM_GET_BUILD_VERSION_V2_PARAMS, NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS,
    NV0080_CTRL_GPU_GET_CLASSLIST_V2_PARAMS, NV2080_CTRL_GPU_GET_NAME_STRING_PARAMS,
    NV2080_CTRL_GPU_GET_GID_INFO_PARAMS, NV2080_CTRL_FB_GET_INFO_V2_PARAMS, NV2080_CTRL_GR_GET_INFO_PARAMS,
    NV2080_CTRL_BUS_GET_PCI_INFO_PARAMS, NV2080_CTRL_BUS_GET_INFO_V2_PARAMS, NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS,
    NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS, NV0000_CTRL_GPU_ATTACH_IDS_PARAMS,
    UVM_INITIALIZE_PARAMS, UVM_MM_INITIALIZE_PARAMS, UVM_REGISTER_GPU_PARAMS, UVM_REGISTER_GPU_VASPACE_PARAMS,
    UVM_UNREGISTER_GPU_VASPACE_PARAMS, UVM_CREATE_EXTERNAL_RANGE_PARAMS, UVM_MAP_EXTERNAL_ALLOCATION_PARAMS,
    UVM_UNMAP_EXTERNAL_PARAMS, UVM_FREE_PARAMS, UVM_VALIDATE_VA_RANGE_PARAMS, UVM_MIGRATE_PARAMS, UVM_DISCARD_PARAMS, UVM_SET_PREFERRED_LOCATION_PARAMS,
    UVM_UNSET_PREFERRED_LOCATION_PARAMS, UVM_SET_ACCESSED_BY_PARAMS, UVM_UNSET_ACCESSED_BY_PARAMS,
    UVM_ENABLE_READ_DUPLICATION_PARAMS, UVM_DISABLE_READ_DUPLICATION_PARAMS, UVM_ENABLE_PEER_ACCESS_PARAMS,
}

/// A client of the resource manager, and with it everything it allocates.
#[derive(Debug)]
pub(crate) struct Client {
    control: File,
    root: Object,
    next: AtomicU32,
    sizes: Sizes,
}

/// First of the handles that this client gives to its objects.
const FIRST_HANDLE: u32 = 0x5c00_0001;

impl Client {
    /// Opens the control node and allocates a root client.
    pub(crate) fn open() -> Result<Self, RmError> {
        let control = door::open(Node::Control).map_err(|error| RmError::Door {
            what: "opening /dev/nvidiactl",
            error,
        })?;
        let client = Self {
            control,
            root: Object(0),
            next: AtomicU32::new(FIRST_HANDLE),
            sizes: Sizes::at(Version::DEFAULT),
        };
        let mut params = NVOS21_PARAMETERS {
            hClass: classes::NV01_ROOT_CLIENT,
            ..FromZeros::new_zeroed()
        };
        client.escape(
            "allocating a client",
            escapes::RM_ALLOC,
            params.as_mut_bytes(),
        )?;
        check("allocating a client", params.status)?;
        Ok(Self {
            root: Object(params.hObjectNew),
            ..client
        })
    }

    /// Speaks the ABI of that driver version from now on.
    pub(crate) fn set_version(&mut self, version: Version) {
        self.sizes = Sizes::at(version);
    }

    /// A handle that no object of this client has.
    pub(crate) fn new_handle(&self) -> Object {
        Object(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// The root client's own handle.
    pub(crate) fn root(&self) -> Object {
        self.root
    }

    /// The control node's file number, for parameters that name it.
    pub(crate) fn control_fd(&self) -> i32 {
        self.control.id()
    }

    /// Whether the server still answers; an error names what happened.
    pub(crate) fn check_alive(&self) -> Result<(), RmError> {
        self.control
            .poll(0)
            .map(drop)
            .map_err(|error| RmError::Door {
                what: "waiting for the GPU",
                error,
            })
    }

    pub(crate) fn escape(
        &self,
        what: &'static str,
        number: u32,
        arg: &mut [u8],
    ) -> Result<(), RmError> {
        self.control
            .escape(number, arg)
            .map_err(|error| RmError::Door { what, error })
    }

    /// A buffer of the size that the advertised version gives the struct, holding `params`.
    pub(crate) fn sized<P: Params>(&self, params: &P) -> Vec<u8> {
        let mut bytes = params.as_bytes().to_vec();
        if let Some(size) = self.sizes.of(P::NAME) {
            bytes.resize(size as usize, 0);
        }
        bytes
    }

    /// Reads an answered buffer back into the struct.
    pub(crate) fn unsized_into<P: Params>(bytes: &[u8], params: &mut P) {
        let to = params.as_mut_bytes();
        let common = to.len().min(bytes.len());
        to[..common].copy_from_slice(&bytes[..common]);
    }

    /// Allocates an object of `class` under `parent` with a handle of ours.
    pub(crate) fn alloc<P: Params>(
        &self,
        what: &'static str,
        parent: Object,
        class: u32,
        params: &mut P,
    ) -> Result<Object, RmError> {
        let mut bytes = self.sized(params);
        let object = self.alloc_raw(what, parent, class, Some(&mut bytes))?;
        Self::unsized_into(&bytes, params);
        Ok(object)
    }

    /// Allocates an object whose class has no parameters.
    pub(crate) fn alloc_plain(
        &self,
        what: &'static str,
        parent: Object,
        class: u32,
    ) -> Result<Object, RmError> {
        self.alloc_raw(what, parent, class, None)
    }

    fn alloc_raw(
        &self,
        what: &'static str,
        parent: Object,
        class: u32,
        params: Option<&mut Vec<u8>>,
    ) -> Result<Object, RmError> {
        let handle = self.new_handle().0;
        let mut call = NVOS21_PARAMETERS {
            hRoot: self.root.0,
            hObjectParent: parent.0,
            hObjectNew: handle,
            hClass: class,
            pAllocParms: params.map_or(0, |p| p.as_mut_ptr() as u64),
            ..FromZeros::new_zeroed()
        };
        self.escape(what, escapes::RM_ALLOC, call.as_mut_bytes())?;
        check(what, call.status)?;
        Ok(Object(call.hObjectNew))
    }

    /// Another name, under `parent`, for a memory object of a client of the same user.
    pub(crate) fn dup(
        &self,
        parent: Object,
        source_client: u32,
        source: u32,
    ) -> Result<Object, RmError> {
        let what = "importing memory";
        let mut call = NVOS55_PARAMETERS {
            hClient: self.root.0,
            hParent: parent.0,
            hObject: self.new_handle().0,
            hClientSrc: source_client,
            hObjectSrc: source,
            ..FromZeros::new_zeroed()
        };
        self.escape(what, escapes::RM_DUP_OBJECT, call.as_mut_bytes())?;
        check(what, call.status)?;
        Ok(Object(call.hObject))
    }

    /// Lets other processes of the user import an object.
    pub(crate) fn share(&self, object: Object) -> Result<(), RmError> {
        /// `RS_SHARE_TYPE_OS_SECURITY_TOKEN`: processes of the same user.
        const SAME_USER: u16 = 2;
        let what = "exporting memory";
        let mut call = NVOS57_PARAMETERS {
            hClient: self.root.0,
            hObject: object.0,
            ..FromZeros::new_zeroed()
        };
        call.sharePolicy.type_ = SAME_USER;
        // RS_ACCESS_DUP_OBJECT.
        call.sharePolicy.accessMask = FromZeros::new_zeroed();
        self.escape(what, escapes::RM_SHARE, call.as_mut_bytes())?;
        check(what, call.status)
    }

    /// Frees an object and everything under it.
    pub(crate) fn free(&self, parent: Object, object: Object) -> Result<(), RmError> {
        let mut call = NVOS00_PARAMETERS {
            hRoot: self.root.0,
            hObjectParent: parent.0,
            hObjectOld: object.0,
            ..FromZeros::new_zeroed()
        };
        self.escape("freeing an object", escapes::RM_FREE, call.as_mut_bytes())?;
        check("freeing an object", call.status)
    }

    /// Runs a control on an object.
    pub(crate) fn control<P: Params>(
        &self,
        what: &'static str,
        object: Object,
        command: u32,
        params: &mut P,
    ) -> Result<(), RmError> {
        let mut bytes = self.sized(params);
        self.control_bytes(what, object, command, &mut bytes)?;
        Self::unsized_into(&bytes, params);
        Ok(())
    }

    /// Runs a control whose parameters are these bytes.
    pub(crate) fn control_bytes(
        &self,
        what: &'static str,
        object: Object,
        command: u32,
        params: &mut [u8],
    ) -> Result<(), RmError> {
        let mut call = NVOS54_PARAMETERS {
            hClient: self.root.0,
            hObject: object.0,
            cmd: command,
            params: params.as_mut_ptr() as u64,
            paramsSize: u32::try_from(params.len()).unwrap_or(u32::MAX),
            ..FromZeros::new_zeroed()
        };
        self.escape(what, escapes::RM_CONTROL, call.as_mut_bytes())?;
        check(what, call.status)
    }

    /// Maps a memory object (whole) into this process.
    ///
    /// # Safety
    /// With `at` not 0, the caller owns that range of addresses.
    pub(crate) unsafe fn map(
        &self,
        what: &'static str,
        device: Object,
        memory: Object,
        node: Node,
        len: u64,
        at: usize,
    ) -> Result<Mapping, RmError> {
        let file = door::open(node).map_err(|error| RmError::Door { what, error })?;
        let mut call = nv_ioctl_nvos33_parameters_with_fd {
            params: NVOS33_PARAMETERS {
                hClient: self.root.0,
                hDevice: device.0,
                hMemory: memory.0,
                length: len,
                ..FromZeros::new_zeroed()
            },
            fd: file.id(),
            ..FromZeros::new_zeroed()
        };
        self.escape(what, escapes::RM_MAP_MEMORY, call.as_mut_bytes())?;
        check(what, call.params.status)?;
        let len = usize::try_from(len).map_err(|_| RmError::Status {
            what,
            code: status::NV_ERR_INVALID_LIMIT,
        })?;
        // SAFETY: the caller owns the range, if it names one.
        unsafe { file.map(at, len, Protection::READ_WRITE, at != 0, 0) }
            .map_err(|error| RmError::Door { what, error })
    }
}

/// An RM status as a result.
pub(crate) fn check(what: &'static str, code: u32) -> Result<(), RmError> {
    if code == status::NV_OK {
        Ok(())
    } else {
        Err(RmError::Status { what, code })
    }
}
