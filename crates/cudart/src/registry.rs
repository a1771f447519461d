//! Fat binaries, kernels and variables that the program's constructors registered.
//!
//! Registering loads nothing: a module is handed to the driver when one of its kernels or
//! variables is first used (`CUDA_MODULE_LOADING=EAGER`: when the first context is made).
//! Libraries and kernels of the driver (`CUlibrary`, `CUkernel`) do not belong to a context, so
//! each is made once per process.

use crate::driver::cu;
use cuda_abi::runtime::{CudaError, cudaKernel_t, cudaLibrary_t};
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

/// One registered fat binary.
struct Module {
    /// Address of the wrapper in the program's image, or of the container.
    image: usize,
    /// Loading happens under the lock; an error is kept and answered again.
    library: Mutex<Option<Result<cudaLibrary_t, CudaError>>>,
    managed: Mutex<Vec<Managed>>,
}

/// A `__managed__` variable: where the host keeps its address.
struct Managed {
    slot: usize,
    name: CString,
    ready: bool,
}

/// One kernel, known by the address of its host stub.
struct Kernel {
    module: Arc<Module>,
    name: CString,
    kernel: OnceLock<cudaKernel_t>,
}

/// One `__device__` or `__constant__` variable, known by the address of its host shadow.
struct Variable {
    module: Arc<Module>,
    name: CString,
    size: usize,
}

#[derive(Default)]
struct Registry {
    modules: Vec<Option<Arc<Module>>>,
    kernels: HashMap<usize, Arc<Kernel>>,
    /// Kernels in the order of their handles ([`handle_of`]).
    numbered: Vec<Arc<Kernel>>,
    numbers: HashMap<usize, usize>,
    variables: HashMap<usize, Arc<Variable>>,
    /// Handles that the program got from the API and may pass where a host stub is expected.
    given: HashSet<usize>,
}

static REGISTRY: OnceLock<RwLock<Registry>> = OnceLock::new();

fn registry() -> &'static RwLock<Registry> {
    REGISTRY.get_or_init(RwLock::default)
}

fn read<T>(look: impl FnOnce(&Registry) -> T) -> Result<T, CudaError> {
    registry()
        .read()
        .map(|registry| look(&registry))
        .map_err(|_| CudaError::Unknown)
}

fn write<T>(change: impl FnOnce(&mut Registry) -> T) -> Result<T, CudaError> {
    registry()
        .write()
        .map(|mut registry| change(&mut registry))
        .map_err(|_| CudaError::Unknown)
}

/// Module handles start here, so that none is null.
const FIRST_MODULE: usize = 0x1000;

/// How many handles `__cudaGetKernel` can give out: addresses in an area of our own that no one
/// reads, so they cannot be mistaken for handles of the driver, and loading can wait for the launch.
const HANDLES: usize = 1 << 20;
/// The area of [`HANDLES`] addresses.
///
/// The name is how the loader hooks of `antlerite run` tell a program that has our static runtime
/// inside from one that has NVIDIA's.
#[unsafe(no_mangle)]
pub static antlerite_cudart_handles: [std::sync::atomic::AtomicU8; HANDLES] =
    [const { std::sync::atomic::AtomicU8::new(0) }; HANDLES];

fn handle_base() -> usize {
    (&raw const antlerite_cudart_handles).addr()
}

/// Copies a C string of the program's.
fn owned(name: *const c_char) -> Result<CString, CudaError> {
    if name.is_null() {
        return Err(CudaError::InvalidValue);
    }
    // SAFETY: nvcc's registration code passes literals.
    Ok(unsafe { CStr::from_ptr(name) }.to_owned())
}

/// `__cudaRegisterFatBinary`: remembers an image; the handle it answers.
pub(crate) fn register_image(image: *const c_void) -> Result<usize, CudaError> {
    write(|registry| {
        registry.modules.push(Some(Arc::new(Module {
            image: image.addr(),
            library: Mutex::new(None),
            managed: Mutex::new(Vec::new()),
        })));
        FIRST_MODULE + registry.modules.len() - 1
    })
}

fn module(handle: usize) -> Result<Arc<Module>, CudaError> {
    read(|registry| {
        let index = handle.checked_sub(FIRST_MODULE)?;
        registry.modules.get(index)?.clone()
    })?
    .ok_or(CudaError::InvalidResourceHandle)
}

/// `__cudaUnregisterFatBinary`: forgets an image and everything registered with it.
pub(crate) fn unregister_image(handle: usize) -> Result<(), CudaError> {
    let module = module(handle)?;
    write(|registry| {
        registry.modules[handle - FIRST_MODULE] = None;
        // Another library may be loaded at the same addresses: its stubs are other kernels' then.
        let numbers = &mut registry.numbers;
        registry.kernels.retain(|stub, kernel| {
            let stays = !Arc::ptr_eq(&kernel.module, &module);
            if !stays {
                numbers.remove(stub);
            }
            stays
        });
        registry
            .variables
            .retain(|_, variable| !Arc::ptr_eq(&variable.module, &module));
    })?;
    let mut library = module.library.lock().map_err(|_| CudaError::Unknown)?;
    // What still knows the module (a handle of a kernel) must not load it again.
    let loaded = library.replace(Err(CudaError::CudartUnloading));
    drop(library);
    if let Some(Ok(library)) = loaded {
        // At exit the driver may be gone already; what it held is gone with the process.
        let _ = unload(library);
    }
    Ok(())
}

fn unload(library: cudaLibrary_t) -> Result<(), CudaError> {
    cu!(cuLibraryUnload(library))
}

/// `__cudaRegisterFunction`.
pub(crate) fn register_kernel(
    handle: usize,
    stub: *const c_void,
    name: *const c_char,
) -> Result<(), CudaError> {
    let kernel = Arc::new(Kernel {
        module: module(handle)?,
        name: owned(name)?,
        kernel: OnceLock::new(),
    });
    write(|registry| {
        registry.numbers.remove(&stub.addr());
        registry.kernels.insert(stub.addr(), kernel);
    })
}

/// `__cudaRegisterVar`.
pub(crate) fn register_variable(
    handle: usize,
    shadow: *const c_void,
    name: *const c_char,
    size: usize,
) -> Result<(), CudaError> {
    let variable = Arc::new(Variable {
        module: module(handle)?,
        name: owned(name)?,
        size,
    });
    write(|registry| {
        registry.variables.insert(shadow.addr(), variable);
    })
}

/// `__cudaRegisterManagedVar`: `slot` is where the host code reads the variable's address.
pub(crate) fn register_managed(
    handle: usize,
    slot: *mut *mut c_void,
    name: *const c_char,
    size: usize,
) -> Result<(), CudaError> {
    let module = module(handle)?;
    let managed = Managed {
        slot: slot.addr(),
        name: owned(name)?,
        ready: false,
    };
    module
        .managed
        .lock()
        .map_err(|_| CudaError::Unknown)?
        .push(managed);
    register_variable(handle, slot.cast(), name, size)
}

impl Module {
    /// The driver's library of this module, loaded now if it was not.
    fn library(&self) -> Result<cudaLibrary_t, CudaError> {
        let mut slot = self.library.lock().map_err(|_| CudaError::Unknown)?;
        if let Some(known) = *slot {
            return known;
        }
        let result = load(self.image as *const c_void);
        // A driver that is not there may come (it does not: its absence is kept too), but an
        // image that it refused stays refused.
        *slot = Some(result);
        result
    }

    /// Puts the addresses of the managed variables where the host code looks for them.
    fn init_managed(&self) -> Result<(), CudaError> {
        let library = self.library()?;
        let mut variables = self.managed.lock().map_err(|_| CudaError::Unknown)?;
        for variable in variables.iter_mut().filter(|variable| !variable.ready) {
            let (mut address, mut bytes) = (0, 0);
            cu!(cuLibraryGetManaged(
                &raw mut address,
                &raw mut bytes,
                library,
                variable.name.as_ptr()
            ))?;
            let slot = variable.slot as *mut u64;
            // SAFETY: nvcc's registration code passed the address of a pointer variable.
            unsafe { slot.write(address) };
            variable.ready = true;
        }
        Ok(())
    }
}

fn load(image: *const c_void) -> Result<cudaLibrary_t, CudaError> {
    let mut library = cudaLibrary_t::default();
    let none = std::ptr::null();
    cu!(cuLibraryLoadData(
        &raw mut library,
        image,
        none,
        none.cast(),
        0,
        none,
        none.cast(),
        0
    ))?;
    Ok(library)
}

/// `__cudaInitModule`: makes the managed variables of a module usable by host code.
pub(crate) fn init_module(handle: usize) -> Result<(), CudaError> {
    module(handle)?.init_managed()
}

/// Called when a context of this process was reset: what was in it is loaded again at its next use.
pub(crate) fn context_reset() -> Result<(), CudaError> {
    let modules: Vec<Arc<Module>> =
        read(|registry| registry.modules.iter().flatten().cloned().collect())?;
    for module in modules {
        let mut variables = module.managed.lock().map_err(|_| CudaError::Unknown)?;
        for variable in variables.iter_mut() {
            variable.ready = false;
        }
    }
    Ok(())
}

/// Called when this process makes its first context of a device: managed variables are put in
/// place, and all modules are loaded if the environment asks for that.
pub(crate) fn context_made() -> Result<(), CudaError> {
    let eager = std::env::var_os("CUDA_MODULE_LOADING").is_some_and(|mode| mode == "EAGER");
    let modules: Vec<Arc<Module>> =
        read(|registry| registry.modules.iter().flatten().cloned().collect())?;
    for module in modules {
        let has_managed = !module
            .managed
            .lock()
            .map_err(|_| CudaError::Unknown)?
            .is_empty();
        if has_managed {
            module.init_managed()?;
        }
        if eager {
            module.library()?;
        }
    }
    if eager {
        let kernels: Vec<Arc<Kernel>> =
            read(|registry| registry.kernels.values().cloned().collect())?;
        for kernel in kernels {
            let mut function = cuda_abi::runtime::cudaFunction_t::default();
            cu!(cuKernelGetFunction(&raw mut function, kernel.resolve()?))?;
        }
    }
    Ok(())
}

impl Kernel {
    fn resolve(&self) -> Result<cudaKernel_t, CudaError> {
        if let Some(&kernel) = self.kernel.get() {
            return Ok(kernel);
        }
        let library = self.module.library()?;
        let mut kernel = cudaKernel_t::default();
        let found = cu!(cuLibraryGetKernel(
            &raw mut kernel,
            library,
            self.name.as_ptr()
        ));
        match found {
            Ok(()) => Ok(*self.kernel.get_or_init(|| kernel)),
            Err(CudaError::SymbolNotFound) => Err(CudaError::InvalidDeviceFunction),
            Err(other) => Err(other),
        }
    }
}

/// `__cudaGetKernel`: a handle for a registered kernel; loads nothing.
pub(crate) fn handle_of(stub: *const c_void) -> Result<cudaKernel_t, CudaError> {
    let stub = stub.addr();
    let known = read(|registry| registry.numbers.get(&stub).copied())?;
    let number = match known {
        Some(number) => number,
        None => write(|registry| {
            let kernel = registry.kernels.get(&stub)?.clone();
            let number = registry.numbered.len();
            registry.numbered.push(kernel);
            registry.numbers.insert(stub, number);
            Some(number)
        })?
        .ok_or(CudaError::InvalidDeviceFunction)?,
    };
    if number >= HANDLES {
        return Err(CudaError::MemoryAllocation);
    }
    Ok(cudaKernel_t(handle_base() + number))
}

/// The driver's kernel behind a handle of ours, of the driver, or given out by the API.
pub(crate) fn from_handle(handle: cudaKernel_t) -> Result<cudaKernel_t, CudaError> {
    let number = handle.0.wrapping_sub(handle_base());
    if number < HANDLES {
        let kernel = read(|registry| registry.numbered.get(number).cloned())?;
        return kernel.ok_or(CudaError::InvalidDeviceFunction)?.resolve();
    }
    if handle.0 == 0 {
        return Err(CudaError::InvalidDeviceFunction);
    }
    Ok(handle)
}

/// The driver's kernel for what a program passes as `const void* func`: a host stub, or a handle
/// that it got from the API.
pub(crate) fn kernel(func: *const c_void) -> Result<cudaKernel_t, CudaError> {
    let address = func.addr();
    let kernel = read(|registry| registry.kernels.get(&address).cloned())?;
    if let Some(kernel) = kernel {
        return kernel.resolve();
    }
    let handle = cudaKernel_t(address);
    let ours = address.wrapping_sub(handle_base()) < HANDLES;
    if ours || read(|registry| registry.given.contains(&address))? {
        return from_handle(handle);
    }
    Err(CudaError::InvalidDeviceFunction)
}

/// The host stub of a kernel of the driver's, if one was registered and used.
pub(crate) fn stub_of(kernel: cudaKernel_t) -> Result<Option<usize>, CudaError> {
    read(|registry| {
        let mut all = registry.kernels.iter();
        all.find(|(_, known)| known.kernel.get() == Some(&kernel))
            .map(|(&stub, _)| stub)
    })
}

/// Remembers a kernel or function handle that the program was given.
pub(crate) fn give(handle: usize) -> Result<(), CudaError> {
    write(|registry| {
        registry.given.insert(handle);
    })
}

/// Device address and size of a variable. Needs a current context.
///
/// # Errors
/// `InvalidSymbol` if the shadow was not registered.
pub(crate) fn variable(shadow: *const c_void) -> Result<(u64, usize), CudaError> {
    let address = shadow.addr();
    let variable = read(|registry| registry.variables.get(&address).cloned())?
        .ok_or(CudaError::InvalidSymbol)?;
    let library = variable.module.library()?;
    let (mut device, mut bytes) = (0, 0);
    cu!(cuLibraryGetGlobal(
        &raw mut device,
        &raw mut bytes,
        library,
        variable.name.as_ptr()
    ))
    .map_err(|error| match error {
        CudaError::SymbolNotFound => CudaError::InvalidSymbol,
        other => other,
    })?;
    Ok((
        device,
        if variable.size == 0 {
            bytes
        } else {
            variable.size
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_is_another_kernel_once_its_library_is_gone() {
        let stub = std::ptr::without_provenance(0x5000);
        let library = || {
            let image = register_image(std::ptr::without_provenance(0x6000)).expect("registers");
            register_kernel(image, stub, c"kernel".as_ptr()).expect("registers");
            image
        };
        let first = library();
        let handle = handle_of(stub).expect("has a handle");
        assert_eq!(handle_of(stub).map(|h| h.0), Ok(handle.0));
        unregister_image(first).expect("is there");
        assert!(handle_of(stub).is_err());
        library();
        assert_ne!(handle_of(stub).expect("has a handle").0, handle.0);
    }
}
