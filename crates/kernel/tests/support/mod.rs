//! A server of its own for a test, and RM calls through the door.
#![allow(dead_code, reason = "each test file uses a part")]

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use abi::nv::escape_params::*;
use abi::nv::escapes;
use door::{File, Node};
use zerocopy::{FromZeros, IntoBytes};

/// The environment is the process's: tests that set it take turns.
static TURN: Mutex<()> = Mutex::new(());

/// A server in a directory of its own; killed and removed when dropped.
pub struct TestServer {
    pub dir: tempfile::TempDir,
    child: Child,
    _turn: MutexGuard<'static, ()>,
}

impl TestServer {
    /// Starts `antlerite-kmd` with these arguments and points the door at it.
    pub fn start(arguments: &[&str], environment: &[(&str, &Path)]) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let dir = tempfile::tempdir().expect("temporary directory");
        let instance = dir.path().join("antlerite").join("test");
        std::fs::create_dir_all(&instance).expect("instance directory");
        for path in [dir.path(), &dir.path().join("antlerite"), &instance] {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).expect("chmod");
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_antlerite-kmd"));
        command
            .arg("--dir")
            .arg(&instance)
            .args(arguments)
            .env("ANTLERITE_MEMORY", "1G")
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        for (name, value) in environment {
            command.env(name, value);
        }
        // SAFETY: one system call between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
        let child = command.spawn().expect("antlerite-kmd starts");
        // SAFETY: the lock above keeps other tests of this process from reading the environment meanwhile.
        unsafe {
            std::env::set_var("XDG_RUNTIME_DIR", dir.path());
            std::env::set_var("ANTLERITE_INSTANCE", "test");
            std::env::set_var("ANTLERITE_KMD", env!("CARGO_BIN_EXE_antlerite-kmd"));
        }
        let deadline = Instant::now() + Duration::from_secs(20);
        // The socket is there before it is listened to.
        while kernel::manage::ask(&instance, &kernel::manage::Request::Status).is_err() {
            assert!(Instant::now() < deadline, "the server did not come up");
            std::thread::sleep(Duration::from_millis(5));
        }
        Self {
            dir,
            child,
            _turn: turn,
        }
    }

    pub fn instance(&self) -> std::path::PathBuf {
        self.dir.path().join("antlerite").join("test")
    }

    pub fn kill(&mut self) {
        self.child.kill().expect("kill");
        self.child.wait().expect("wait");
    }

    pub fn status(&self) -> kernel::manage::Status {
        match kernel::manage::ask(&self.instance(), &kernel::manage::Request::Status)
            .expect("status")
        {
            kernel::manage::Answer::Status(status) => *status,
            other => panic!("{other:?}"),
        }
    }

    pub fn log(&self) -> Vec<String> {
        match kernel::manage::ask(&self.instance(), &kernel::manage::Request::Dmesg).expect("dmesg")
        {
            kernel::manage::Answer::Lines { lines } => lines,
            other => panic!("{other:?}"),
        }
    }

    /// Waits until `condition` holds.
    pub fn wait_for(&self, what: &str, condition: impl Fn(&kernel::manage::Status) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(5);
        loop {
            let status = self.status();
            if condition(&status) {
                return;
            }
            assert!(Instant::now() < deadline, "{what}: {status:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Address of a value, for parameters that carry one.
pub fn address<T: ?Sized>(value: &T) -> u64 {
    std::ptr::from_ref(value).cast::<u8>().expose_provenance() as u64
}

/// Allocates an object; returns status and handle.
pub fn alloc(
    file: &File,
    root: u32,
    parent: u32,
    handle: u32,
    class: u32,
    params: Option<&mut [u8]>,
) -> (u32, u32) {
    let mut call = NVOS64_PARAMETERS {
        hRoot: root,
        hObjectParent: parent,
        hObjectNew: handle,
        hClass: class,
        pAllocParms: params.map_or(0, |p| p.as_mut_ptr().expose_provenance() as u64),
        ..NVOS64_PARAMETERS::new_zeroed()
    };
    file.escape(escapes::RM_ALLOC, call.as_mut_bytes())
        .expect("RM_ALLOC");
    (call.status, call.hObjectNew)
}

/// Runs a control; returns its status.
pub fn control(file: &File, client: u32, object: u32, cmd: u32, params: &mut [u8]) -> u32 {
    let mut call = NVOS54_PARAMETERS {
        hClient: client,
        hObject: object,
        cmd,
        params: params.as_mut_ptr().expose_provenance() as u64,
        paramsSize: u32::try_from(params.len()).expect("size"),
        ..NVOS54_PARAMETERS::new_zeroed()
    };
    file.escape(escapes::RM_CONTROL, call.as_mut_bytes())
        .expect("RM_CONTROL");
    call.status
}

/// Frees an object; returns its status.
pub fn free(file: &File, client: u32, object: u32) -> u32 {
    let mut call = NVOS00_PARAMETERS {
        hRoot: client,
        hObjectOld: object,
        ..NVOS00_PARAMETERS::new_zeroed()
    };
    file.escape(escapes::RM_FREE, call.as_mut_bytes())
        .expect("RM_FREE");
    call.status
}

/// A client with device and subdevice on GPU 0.
pub struct Rm {
    pub ctl: File,
    pub client: u32,
    pub device: u32,
    pub subdevice: u32,
}

impl Rm {
    pub fn new() -> Self {
        let ctl = door::open(Node::Control).expect("open");
        let (status, client) = alloc(&ctl, 0, 0, 0, 0x41, None);
        assert_eq!(status, 0);
        let mut params = abi::nv::alloc_params::NV0080_ALLOC_PARAMETERS::new_zeroed();
        params.hClientShare = client;
        let (status, device) = alloc(&ctl, client, client, 0, 0x80, Some(params.as_mut_bytes()));
        assert_eq!(status, 0);
        let (status, subdevice) = alloc(&ctl, client, device, 0, 0x2080, None);
        assert_eq!(status, 0);
        Self {
            ctl,
            client,
            device,
            subdevice,
        }
    }

    pub fn alloc<T: IntoBytes + zerocopy::FromBytes>(
        &self,
        parent: u32,
        class: u32,
        params: &mut T,
    ) -> (u32, u32) {
        alloc(
            &self.ctl,
            self.client,
            parent,
            0,
            class,
            Some(params.as_mut_bytes()),
        )
    }

    /// Memory of a class (0x40 or 0x3e).
    pub fn memory(&self, class: u32, size: u64) -> (u32, u32) {
        let mut params = abi::nv::alloc_params::NV_MEMORY_ALLOCATION_PARAMS {
            size,
            ..FromZeros::new_zeroed()
        };
        self.alloc(self.device, class, &mut params)
    }

    /// Maps memory into this process by the whole protocol; the node is the one the object needs.
    pub fn map(&self, memory: u32, node: Node, len: usize) -> door::Mapping {
        let file = door::open(node).expect("open");
        let mut call = nv_ioctl_nvos33_parameters_with_fd {
            params: NVOS33_PARAMETERS {
                hClient: self.client,
                hDevice: self.device,
                hMemory: memory,
                length: len as u64,
                ..NVOS33_PARAMETERS::new_zeroed()
            },
            fd: file.id(),
            ..FromZeros::new_zeroed()
        };
        self.ctl
            .escape(escapes::RM_MAP_MEMORY, call.as_mut_bytes())
            .expect("RM_MAP_MEMORY");
        assert_eq!(call.params.status, 0);
        // SAFETY: anywhere.
        unsafe { file.map(0, len, door::Protection::READ_WRITE, false, 0) }.expect("map")
    }
}
