//! The resource manager's client side: objects and controls, through the door.

use std::sync::atomic::{AtomicU32, Ordering};

use abi::nv::escape_params::{
    NVOS00_PARAMETERS, NVOS21_PARAMETERS, NVOS54_PARAMETERS, nv_ioctl_rm_api_version_t,
};
use abi::nv::sizes::{Sizes, Version};
use abi::nv::{classes, escapes, status};
use door::{File, Node};
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes};

use super::error::RmError;

/// An RM handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object(pub u32);

/// First of the handles that this client gives to its objects.
const FIRST_HANDLE: u32 = 0xa55a_0000;
/// CHECK_VERSION_STR: tell the version, whatever ours is.
const QUERY: u32 = 0x32;

/// A client of the resource manager.
#[derive(Debug)]
pub struct Client {
    control: File,
    root: Object,
    next: AtomicU32,
    sizes: Sizes,
    version: Version,
    version_text: String,
}

impl Client {
    /// Opens the control node, asks for the version and allocates a root client.
    ///
    /// # Errors
    /// [`RmError`].
    pub fn open() -> Result<Self, RmError> {
        let control = door::open(Node::Control).map_err(|error| RmError::Door {
            what: "opening /dev/nvidiactl",
            error,
        })?;
        let mut client = Self {
            control,
            root: Object(0),
            next: AtomicU32::new(FIRST_HANDLE),
            sizes: Sizes::at(Version::DEFAULT),
            version: Version::DEFAULT,
            version_text: String::new(),
        };
        let mut query = nv_ioctl_rm_api_version_t {
            cmd: QUERY,
            ..FromZeros::new_zeroed()
        };
        client.escape(
            "asking for the driver version",
            escapes::CHECK_VERSION_STR,
            query.as_mut_bytes(),
        )?;
        client.version_text = text(&query.versionString);
        client.version = Version::parse(&client.version_text).unwrap_or(Version::DEFAULT);
        client.sizes = Sizes::at(client.version);
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
        client.root = Object(params.hObjectNew);
        Ok(client)
    }

    /// Driver version that the kernel half advertises.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// Its text.
    #[must_use]
    pub fn version_text(&self) -> &str {
        &self.version_text
    }

    /// The root client's own handle.
    #[must_use]
    pub fn root(&self) -> Object {
        self.root
    }

    /// The control node's file number, for parameters that name it.
    #[must_use]
    pub fn control_fd(&self) -> i32 {
        self.control.id()
    }

    /// Whether the server still answers.
    ///
    /// # Errors
    /// [`RmError::Door`] says what happened.
    pub fn check_alive(&self) -> Result<(), RmError> {
        self.control
            .poll(0)
            .map(drop)
            .map_err(|error| RmError::Door {
                what: "looking whether the driver is there",
                error,
            })
    }

    /// Runs an escape on the control node.
    ///
    /// # Errors
    /// [`RmError::Door`].
    pub fn escape(&self, what: &'static str, number: u32, arg: &mut [u8]) -> Result<(), RmError> {
        self.control
            .escape(number, arg)
            .map_err(|error| RmError::Door { what, error })
    }

    /// Bytes of the struct at the advertised version.
    fn size(&self, name: &'static str, default: usize) -> usize {
        self.sizes
            .of(name)
            .and_then(|size| usize::try_from(size).ok())
            .unwrap_or(default)
    }

    /// Allocates an object of `class` under `parent`; `params` empty where the class has none.
    ///
    /// # Errors
    /// [`RmError`].
    pub fn alloc(
        &self,
        what: &'static str,
        parent: Object,
        class: u32,
        params: &mut [u8],
    ) -> Result<Object, RmError> {
        let mut call = NVOS21_PARAMETERS {
            hRoot: self.root.0,
            hObjectParent: parent.0,
            hObjectNew: self.next.fetch_add(1, Ordering::Relaxed),
            hClass: class,
            pAllocParms: address(params),
            ..FromZeros::new_zeroed()
        };
        self.escape(what, escapes::RM_ALLOC, call.as_mut_bytes())?;
        check(what, call.status)?;
        Ok(Object(call.hObjectNew))
    }

    /// Frees an object and everything under it.
    ///
    /// # Errors
    /// [`RmError`].
    pub fn free(&self, parent: Object, object: Object) -> Result<(), RmError> {
        let mut call = NVOS00_PARAMETERS {
            hRoot: self.root.0,
            hObjectParent: parent.0,
            hObjectOld: object.0,
            ..FromZeros::new_zeroed()
        };
        self.escape("freeing an object", escapes::RM_FREE, call.as_mut_bytes())?;
        check("freeing an object", call.status)
    }

    /// Runs a control whose parameters are these bytes.
    ///
    /// # Errors
    /// [`RmError`].
    pub fn control_bytes(
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
            params: address(params),
            paramsSize: u32::try_from(params.len()).unwrap_or(u32::MAX),
            ..FromZeros::new_zeroed()
        };
        self.escape(what, escapes::RM_CONTROL, call.as_mut_bytes())?;
        check(what, call.status)
    }

    /// Runs a control whose parameters are struct `name`, of the size that the advertised version gives it.
    ///
    /// # Errors
    /// [`RmError`].
    pub fn control<P: FromBytes + IntoBytes + Immutable>(
        &self,
        what: &'static str,
        object: Object,
        command: u32,
        name: &'static str,
        params: &mut P,
    ) -> Result<(), RmError> {
        let to = params.as_mut_bytes();
        let mut bytes = to.to_vec();
        bytes.resize(self.size(name, to.len()), 0);
        self.control_bytes(what, object, command, &mut bytes)?;
        let common = to.len().min(bytes.len());
        to[..common].copy_from_slice(&bytes[..common]);
        Ok(())
    }

    /// Zeros of the size that the advertised version gives struct `name`.
    ///
    /// # Errors
    /// [`crate::Return::NotSupported`] when that version has none.
    pub fn struct_bytes(&self, name: &'static str) -> Result<Vec<u8>, crate::Return> {
        match self.size(name, 0) {
            0 => Err(crate::Return::NotSupported),
            size => Ok(vec![0; size]),
        }
    }

    /// Runs a control whose answers are (index, data) pairs, which `inside` says are in the struct `name` after their
    /// count, or else behind a pointer.
    ///
    /// # Errors
    /// [`RmError`].
    pub fn pairs<const N: usize>(
        &self,
        what: &'static str,
        object: Object,
        command: u32,
        place: Pairs,
        indices: [u32; N],
    ) -> Result<[u32; N], RmError> {
        let mut list: Vec<u8> = indices
            .iter()
            .flat_map(|index| [index.to_le_bytes(), [0; 4]].concat())
            .collect();
        let count = u32::try_from(N).unwrap_or(u32::MAX).to_le_bytes();
        let mut bytes;
        let answers = match place {
            Pairs::Inside(name) => {
                bytes = vec![0; self.size(name, 4 + list.len()).max(4 + list.len())];
                bytes[..4].copy_from_slice(&count);
                bytes[4..4 + list.len()].copy_from_slice(&list);
                self.control_bytes(what, object, command, &mut bytes)?;
                &bytes[4..4 + list.len()]
            }
            Pairs::Pointed(size) => {
                bytes = vec![0; size.max(16)];
                bytes[..4].copy_from_slice(&count);
                bytes[8..16].copy_from_slice(&address(&mut list).to_le_bytes());
                self.control_bytes(what, object, command, &mut bytes)?;
                &list
            }
        };
        let mut values = [0; N];
        for (value, pair) in values.iter_mut().zip(answers.chunks_exact(8)) {
            *value = word(pair, 1);
        }
        Ok(values)
    }
}

/// Where the pairs of an information control are.
#[derive(Clone, Copy, Debug)]
pub enum Pairs {
    /// In the struct of that name.
    Inside(&'static str),
    /// Behind the pointer at byte 8 of parameters of that size.
    Pointed(usize),
}

/// Word `index` of little-endian parameters; 0 past the end.
#[must_use]
pub fn word(bytes: &[u8], index: usize) -> u32 {
    bytes
        .get(index * 4..index * 4 + 4)
        .and_then(|word| word.try_into().ok())
        .map_or(0, u32::from_le_bytes)
}

/// The NUL-terminated text at the start of a field.
#[must_use]
pub fn text(field: &[u8]) -> String {
    let end = field.iter().position(|b| *b == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

fn address(bytes: &mut [u8]) -> u64 {
    if bytes.is_empty() {
        0
    } else {
        bytes.as_mut_ptr().expose_provenance() as u64
    }
}

/// An RM status as a result.
///
/// # Errors
/// [`RmError::Status`] for all but `NV_OK`.
pub fn check(what: &'static str, code: u32) -> Result<(), RmError> {
    if code == status::NV_OK {
        Ok(())
    } else {
        Err(RmError::Status { what, code })
    }
}
