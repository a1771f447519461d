//! Modules and libraries: images loaded into contexts, their variables and their kernels.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use cuda_abi::driver::{CUfunction, CUkernel, CUresult};
use fatbin::cubin::Cubin;

use super::attributes::Limits;
use super::cache::Request;
use super::code;
use super::context::{self, CONTEXTS, Live};
use super::handle::Table;
use super::image::{Code, Image, Kernel, LoadError, Referent};
use super::memory::{Allocation, Kind};
use super::platform;
use super::qmd::{Descriptor, Launch};
use super::tier::{self, Start};
use crate::boundary::complain;
use jit::compiler::{self, Job, Options};

/// Modules of `cuModuleLoad`.
pub(crate) static MODULES: Table<Module> = Table::new(5, CUresult::INVALID_HANDLE);
/// Kernels of a context (`CUfunction`).
pub(crate) static FUNCTIONS: Table<Function> = Table::new(6, CUresult::INVALID_HANDLE);
/// Libraries of `cuLibraryLoad`.
pub(crate) static LIBRARIES: Table<Library> = Table::new(7, CUresult::INVALID_HANDLE);
/// Kernels of a library (`CUkernel`).
pub(crate) static KERNELS: Table<LibraryKernel> = Table::new(8, CUresult::INVALID_HANDLE);

/// A module.
pub(crate) struct Module {
    /// What it holds in its context.
    pub loaded: Arc<Loaded>,
}

/// An image in a context.
pub(crate) struct Loaded {
    /// Handle of the context.
    pub context: usize,
    /// The image.
    pub image: Arc<Image>,
    /// Compiler options.
    pub options: Options,
    /// Handle of the module that the program sees, 0 none yet.
    pub handle: OnceLock<usize>,
    variables: HashMap<String, (u64, u64)>,
    memory: Vec<Arc<Allocation>>,
    functions: Mutex<HashMap<usize, usize>>,
    /// Number of the context's holdings ([`Live::id`]).
    live: u64,
    /// What the device runtime reads.
    pub(super) blocks: super::device_runtime::Blocks,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Loaded {
    /// Loads an image into a context: variables get addresses and first values, kernels wait for their first use.
    pub(crate) fn create(
        live: &Live,
        image: Arc<Image>,
        options: Options,
    ) -> Result<Arc<Self>, LoadError> {
        let failed = |code: CUresult| LoadError::new(code, String::new());
        let given = |v: &super::image::Variable| Some((v.name.clone(), (v.given?, v.size)));
        let mut variables: HashMap<_, _> = image.variables.iter().filter_map(given).collect();
        let mut memory = Vec::new();
        for (kind, managed) in [(Kind::Device, false), (Kind::Managed, true)] {
            let mut offset = 0_u64;
            let mut places = Vec::new();
            for variable in image
                .variables
                .iter()
                .filter(|v| v.managed == managed && !v.external)
            {
                offset = offset.next_multiple_of(variable.align.max(16));
                places.push((variable, offset));
                offset += variable.size.max(1);
            }
            if places.is_empty() {
                continue;
            }
            let block = live.allocate(offset, 4096, kind, 0).map_err(failed)?;
            for (variable, offset) in places {
                variables.insert(variable.name.clone(), (block.va + offset, variable.size));
            }
            memory.push(block);
        }
        let loaded = Self {
            context: live.context,
            image,
            options,
            handle: OnceLock::new(),
            variables,
            memory,
            functions: Mutex::default(),
            live: live.id,
            blocks: super::device_runtime::Blocks::default(),
        };
        loaded.initialize()?;
        Ok(Arc::new(loaded))
    }

    fn initialize(&self) -> Result<(), LoadError> {
        for block in self.memory.iter().filter(|block| !block.is_fresh()) {
            let at = block
                .host_address(block.va)
                .map_err(|code| LoadError::new(code, String::new()))?;
            let bytes = usize::try_from(block.bytes).unwrap_or_default();
            // SAFETY: this process's view of a block that nothing else uses yet.
            unsafe { std::ptr::with_exposed_provenance_mut::<u8>(at).write_bytes(0, bytes) };
        }
        for variable in self.image.variables.iter().filter(|v| !v.external) {
            let mut bytes = variable.init.clone();
            for r in &variable.relocations {
                let value = match &r.symbol {
                    Referent::Variable(name) => self.address(name)?,
                    Referent::Token(token) => *token,
                };
                let value = value.wrapping_add_signed(r.addend);
                let value = r.mask.map_or(value, |m| {
                    if m == 0 {
                        0
                    } else {
                        (value & m) >> m.trailing_zeros()
                    }
                });
                let at = usize::try_from(r.offset).unwrap_or(usize::MAX);
                let size = (r.size as usize).min(8);
                if let Some(slot) = at.checked_add(size).and_then(|end| bytes.get_mut(at..end)) {
                    slot.copy_from_slice(&value.to_le_bytes()[..size]);
                }
            }
            if !bytes.is_empty() {
                self.write(self.address(&variable.name)?, &bytes)
                    .map_err(|code| LoadError::new(code, String::new()))?;
            }
        }
        Ok(())
    }

    fn write(&self, va: u64, bytes: &[u8]) -> Result<(), CUresult> {
        let inside = |b: &&Arc<Allocation>| va >= b.va && va + bytes.len() as u64 <= b.end();
        let block = self
            .memory
            .iter()
            .find(inside)
            .ok_or(CUresult::INVALID_VALUE)?;
        write_bytes(block, va, bytes)
    }

    pub(super) fn address(&self, name: &str) -> Result<u64, LoadError> {
        self.variables.get(name).map(|(va, _)| *va).ok_or_else(|| {
            LoadError::new(
                CUresult::INVALID_PTX,
                format!("error   : Undefined reference to '{name}' in 'ptx input'\n"),
            )
        })
    }

    /// Address and size of a variable.
    ///
    /// # Errors
    /// 500.
    pub(crate) fn variable(&self, name: &str) -> Result<(u64, u64), CUresult> {
        self.variables.get(name).copied().ok_or(CUresult::NOT_FOUND)
    }

    /// The handle of a kernel in this context, made at first use.
    pub(crate) fn function(self: &Arc<Self>, kernel: usize) -> Result<CUfunction, CUresult> {
        let mut functions = lock(&self.functions);
        if let Some(handle) = functions.get(&kernel) {
            return Ok(CUfunction(*handle));
        }
        let (handle, _) = FUNCTIONS.insert_with(|handle| Function {
            handle,
            loaded: self.clone(),
            kernel,
            max_dynamic_shared: AtomicU32::new(0),
            carveout: AtomicI32::new(-1),
            cluster: self.image.kernels[kernel].cluster.map(AtomicU32::new),
            non_portable_cluster: AtomicI32::new(0),
            variants: Variants::default(),
        })?;
        functions.insert(kernel, handle);
        Ok(CUfunction(handle))
    }

    /// Has code made for all kernels, if modules are loaded eagerly.
    fn prepare(self: &Arc<Self>) -> Result<(), CUresult> {
        if is_eager() {
            for kernel in 0..self.image.kernels.len() {
                tier::prepare(self.function(kernel)?.0);
            }
        }
        Ok(())
    }

    /// Gives memory and handles back.
    fn unload(&self) {
        let _placing = tier::placing();
        for handle in lock(&self.functions).drain().map(|(_, handle)| handle) {
            if let Ok(function) = FUNCTIONS.remove(handle) {
                let variants = function.variants.entries().map(|(_, v)| v);
                let variants = variants.flat_map(|v| [Some(v), v.better.get()]).flatten();
                let memory = variants.map(|v| v.memory.clone()).collect::<Vec<_>>();
                free_all(self.context, &memory);
            }
        }
        free_all(self.context, &self.blocks.take());
        free_all(self.context, &self.memory);
    }
}

/// Whether kernels are compiled when their module is loaded (`CUDA_MODULE_LOADING=EAGER`), or when they are first used.
pub(crate) fn is_eager() -> bool {
    std::env::var("CUDA_MODULE_LOADING").is_ok_and(|v| v == "EAGER")
}

pub(super) fn free_all(context: usize, memory: &[Arc<Allocation>]) {
    let Ok(platform) = platform::get() else {
        return;
    };
    let live = CONTEXTS.get(context).ok().and_then(|c| c.live());
    for block in memory {
        if let Some(allocation) = platform.memory.remove(block.va, |a| a.id == block.id) {
            platform
                .memory
                .release(live.as_ref().map(|l| &*l.space), &allocation);
        }
    }
}

/// Writes to memory that the GPU does not use at the moment.
pub(super) fn write_bytes(block: &Allocation, va: u64, bytes: &[u8]) -> Result<(), CUresult> {
    if va < block.va || va + bytes.len() as u64 > block.end() {
        return Err(CUresult::INVALID_VALUE);
    }
    let to = std::ptr::with_exposed_provenance_mut::<u8>(block.host_address(va)?);
    // SAFETY: inside this process's view of the allocation.
    unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    Ok(())
}

/// A kernel in a context.
pub(crate) struct Function {
    /// Its handle.
    handle: usize,
    /// The module.
    pub loaded: Arc<Loaded>,
    /// Index of the kernel in the image.
    pub kernel: usize,
    /// `MAX_DYNAMIC_SHARED_SIZE_BYTES` as set, 0 = not set.
    pub max_dynamic_shared: AtomicU32,
    /// `PREFERRED_SHARED_MEMORY_CARVEOUT`.
    pub carveout: AtomicI32,
    /// Cluster set by attribute.
    pub cluster: [AtomicU32; 3],
    /// `NON_PORTABLE_CLUSTER_SIZE_ALLOWED`.
    pub non_portable_cluster: AtomicI32,
    variants: Variants,
}

/// Code for any block.
const ANY: [u32; 3] = [0; 3];

/// The code that a kernel has so far, by block. Found without a lock: every launch looks here.
#[derive(Debug, Default)]
struct Variants {
    /// Filled from the front, and never changed.
    made: [OnceLock<([u32; 3], Arc<Variant>)>; VARIANTS_MAX + 1],
    making: Mutex<()>,
    /// Blocks for which code is made while code for any block runs.
    asked: Mutex<Vec<[u32; 3]>>,
}

impl Variants {
    fn entries(&self) -> impl Iterator<Item = &([u32; 3], Arc<Variant>)> {
        self.made.iter().map_while(OnceLock::get)
    }

    fn find(&self, block: [u32; 3]) -> Option<&Arc<Variant>> {
        let mut entries = self.entries();
        entries.find(|(of, _)| *of == block).map(|(_, v)| v)
    }

    /// Code for any block, where none for `block` is to be waited for.
    fn stand_in(&self, block: [u32; 3]) -> Option<&Arc<Variant>> {
        let general = self.find(ANY)?;
        let asked = lock(&self.asked);
        (asked.contains(&block) || asked.len() >= VARIANTS_MAX).then_some(general)
    }

    /// Keeps code for a block. Only who holds `making` adds.
    fn add(&self, block: [u32; 3], variant: &Arc<Variant>) -> bool {
        let place = self.made.iter().find(|place| place.get().is_none());
        place.is_some_and(|place| place.set((block, variant.clone())).is_ok())
    }

    fn is_full(&self) -> bool {
        self.made.iter().all(|place| place.get().is_some())
    }
}

/// Compiled code in GPU memory.
#[derive(Debug)]
pub(crate) struct Variant {
    memory: Arc<Allocation>,
    /// Address of the image.
    pub va: u64,
    /// Static shared memory, bytes.
    pub shared_bytes: u32,
    /// Offset of the parameters in constant bank 0.
    pub param_offset: u32,
    /// Local memory of a thread, bytes.
    pub local_bytes: u32,
    /// Registers to report.
    pub registers: u32,
    /// Made in little time: good code will follow.
    is_first: bool,
    /// The good code, once it is there.
    better: OnceLock<Arc<Variant>>,
    /// Launches while better code was missing.
    waiting: AtomicU32,
    /// The descriptor of the last launch: most launches are like the one before.
    last: Mutex<Option<(Launch, Arc<Descriptor>)>>,
}

impl Variant {
    /// Code of a kernel whose image is in GPU memory: `image` as it was compiled, at `va`.
    pub(super) fn new(
        kernel: &fatbin::cubin::Kernel,
        image: &[u8],
        memory: Arc<Allocation>,
        va: u64,
    ) -> Self {
        Self {
            va,
            memory,
            shared_bytes: kernel.shared_bytes,
            param_offset: code::word(
                image,
                std::mem::offset_of!(abi::sm::EntryHeader, param_offset),
            ),
            local_bytes: kernel.local_bytes,
            registers: kernel.registers,
            is_first: code::is_first(image),
            better: OnceLock::new(),
            waiting: AtomicU32::new(0),
            last: Mutex::new(None),
        }
    }

    /// The best code that there is.
    fn best(self: &Arc<Self>) -> Arc<Self> {
        if let Some(better) = self.better.get() {
            return better.clone();
        }
        if self.is_first {
            self.missed();
        }
        self.clone()
    }

    /// Counts a launch that better code is missing for.
    fn missed(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// Launches so far that better code was missing for.
    pub(super) fn misses(&self) -> u32 {
        self.waiting.load(Ordering::Relaxed)
    }

    /// The descriptor of a launch.
    pub(crate) fn descriptor(&self, compute_class: u32, launch: &Launch) -> Arc<Descriptor> {
        // Whoever finds another thread here makes its own: nobody waits for a thread that has lost its CPU.
        let mut last = self.last.try_lock().ok();
        if let Some(Some((like, descriptor))) = last.as_deref()
            && like == launch
        {
            return descriptor.clone();
        }
        let descriptor = Arc::new(Descriptor::new(compute_class, launch));
        if let Some(last) = last.as_deref_mut() {
            *last = Some((*launch, descriptor.clone()));
        }
        descriptor
    }
}

/// Blocks that a kernel is specialised for at most; other blocks run the general code.
const VARIANTS_MAX: usize = 8;

impl Function {
    /// What the image says of the kernel.
    pub(crate) fn info(&self) -> &Kernel {
        &self.loaded.image.kernels[self.kernel]
    }

    /// Cluster set by attribute or by the image, zeros without.
    pub(crate) fn cluster(&self) -> [u32; 3] {
        [0, 1, 2].map(|i: usize| self.cluster[i].load(Ordering::Relaxed))
    }

    /// Dynamic shared memory that a launch may ask for, bytes.
    pub(crate) fn max_dynamic_shared(&self, limits: Limits) -> u32 {
        match self.max_dynamic_shared.load(Ordering::Relaxed) {
            0 => limits
                .shared_per_block
                .saturating_sub(self.info().shared_bytes),
            set => set,
        }
    }

    /// A variant that is there already, whatever block it is for.
    pub(crate) fn any_variant(&self) -> Option<Arc<Variant>> {
        let (_, variant) = self.variants.entries().next()?;
        Some(variant.better.get().unwrap_or(variant).clone())
    }

    /// The block that code is made for when this one is launched.
    fn wanted(&self, block: [u32; 3]) -> [u32; 3] {
        match (&self.loaded.image.code, self.info().required_block) {
            // There is no other code.
            (Code::Cubin(_), _) => ANY,
            (Code::Ptx(_) | Code::Both { .. }, ANY) => block,
            (Code::Ptx(_) | Code::Both { .. }, required) => required.map(|d| d.max(1)),
        }
    }

    /// The code for a block, compiled and uploaded at first use. Where code for any block is there already, that runs
    /// until there is code for this one, which nobody waits for.
    pub(crate) fn variant(
        &self,
        live: &Live,
        block: [u32; 3],
        start: Start,
    ) -> Result<Arc<Variant>, CUresult> {
        let block = self.wanted(block);
        if let Some(variant) = self.variants.find(block) {
            return Ok(variant.best());
        }
        if let Some(general) = self.variants.stand_in(block) {
            general.missed();
            return Ok(general.best());
        }
        let _making = lock(&self.variants.making);
        if let Some(variant) = self.variants.find(block) {
            return Ok(variant.best());
        }
        let count = self.variants.entries().count();
        let wanted = if count < VARIANTS_MAX { block } else { ANY };
        if let Some(variant) = self.variants.find(wanted) {
            return Ok(variant.best());
        }
        let failed = |error: LoadError| report(&error);
        if wanted != ANY
            && tier::first(self.loaded.options, start).is_some()
            && let Some(general) = self.general(live).map_err(failed)?
        {
            match self.kept(live, wanted).map_err(failed)? {
                Some(variant) => {
                    let variant = Arc::new(variant);
                    self.variants.add(wanted, &variant);
                    return Ok(variant);
                }
                None => {
                    lock(&self.variants.asked).push(wanted);
                    general.missed();
                    tier::specialise(self.handle, wanted, &general);
                    return Ok(general.best());
                }
            }
        }
        let variant = Arc::new(self.build(live, wanted, start).map_err(failed)?);
        self.keep(wanted, &variant);
        Ok(variant)
    }

    /// Keeps code for a block, and has better made where it is of the first tier.
    fn keep(&self, block: [u32; 3], variant: &Arc<Variant>) {
        if self.variants.add(block, variant) && variant.is_first {
            tier::improve(self.handle, block, variant);
        }
    }

    /// The same, but good code: for launches whose blocks all start at once and stay, so that nothing could take over.
    pub(crate) fn lasting(&self, live: &Live, block: [u32; 3]) -> Result<Arc<Variant>, CUresult> {
        let variant = self.variant(live, block, Start::Together)?;
        if !variant.is_first {
            return Ok(variant);
        }
        tier::wait_for(&variant);
        Ok(variant.best())
    }

    /// The code for any block, if it is there or a cubin has it.
    fn general(&self, live: &Live) -> Result<Option<Arc<Variant>>, LoadError> {
        if let Some(there) = self.variants.find(ANY) {
            return Ok(Some(there.clone()));
        }
        let Code::Both { cubin, .. } = &self.loaded.image.code else {
            return Ok(None);
        };
        let kernel = cubin.kernels.iter().find(|k| k.name == self.info().name);
        if kernel.is_none_or(|kernel| kernel.block != ANY) {
            return Ok(None);
        }
        let variant = Arc::new(self.place(live, cubin)?);
        self.variants.add(ANY, &variant);
        Ok(Some(variant))
    }

    /// The good code for a block as the cache has it.
    fn kept(&self, live: &Live, block: [u32; 3]) -> Result<Option<Variant>, LoadError> {
        let (Code::Ptx(text) | Code::Both { text, .. }) = &self.loaded.image.code else {
            return Ok(None);
        };
        let platform = platform::get().map_err(|code| LoadError::new(code, String::new()))?;
        self.cached(live, &self.job(live, text, block, platform.cuda_version))
    }

    fn build(&self, live: &Live, block: [u32; 3], start: Start) -> Result<Variant, LoadError> {
        let name = &self.info().name;
        match &self.loaded.image.code {
            Code::Cubin(cubin) => self.place(live, cubin),
            Code::Both { cubin, .. } if code::serves(cubin, name, block) => self.place(live, cubin),
            Code::Ptx(text) | Code::Both { text, .. } => self.compile(live, text, block, start),
        }
    }

    /// The context as it was when the kernel was loaded.
    fn live(&self) -> Option<Arc<Live>> {
        let live = CONTEXTS.get(self.loaded.context).ok()?.live()?;
        (live.id == self.loaded.live).then_some(live)
    }

    /// Makes the good code for a block on a thread of its own; `None` where nobody needs it any more.
    fn good(&self, block: [u32; 3]) -> Option<Cubin> {
        let (Code::Ptx(text) | Code::Both { text, .. }) = &self.loaded.image.code else {
            return None;
        };
        let live = self.live()?;
        let job = self.job(&live, text, block, platform::get().ok()?.cuda_version);
        // The context may end while the compiler runs.
        drop(live);
        code::compiled(&job).ok()
    }

    /// Makes the code for any block, before the kernel is launched.
    pub(super) fn prepare(&self) {
        let Some(live) = self.live() else {
            return;
        };
        let _making = lock(&self.variants.making);
        let block = self.wanted(ANY);
        if self.variants.entries().next().is_some() {
            return;
        }
        // Whoever launches the kernel is told what is wrong with it.
        if let Ok(variant) = self.build(&live, block, Start::InTurn) {
            self.keep(block, &Arc::new(variant));
        }
    }

    /// Makes the code for a block whose launches run code for any block so far.
    pub(super) fn specialise(&self, block: [u32; 3]) {
        let Some(cubin) = self.good(block) else {
            return;
        };
        let _making = lock(&self.variants.making);
        let _placing = tier::placing();
        let Some(live) = self.live() else {
            return;
        };
        if FUNCTIONS.get(self.handle).is_err()
            || live.check().is_err()
            || self.variants.find(block).is_some()
            || self.variants.is_full()
        {
            return;
        }
        if let Ok(variant) = self.place(&live, &cubin) {
            self.variants.add(block, &Arc::new(variant));
        }
    }

    /// Makes the good code for a block whose launches run `first` so far, and puts it in place.
    pub(super) fn improve(&self, block: [u32; 3], first: &Variant) {
        let Some(cubin) = self.good(block) else {
            return;
        };
        let Some(live) = self.live() else {
            return;
        };
        let _placing = tier::placing();
        if FUNCTIONS.get(self.handle).is_err() || live.check().is_err() {
            return;
        }
        if let Ok(better) = self.place(&live, &cubin) {
            let va = better.va;
            let better = first.better.get_or_init(|| Arc::new(better));
            let at = first.va + std::mem::offset_of!(abi::sm::EntryHeader, better) as u64;
            if better.va == va
                && let Ok(word) = first.memory.host_address(at)
            {
                let word = std::ptr::with_exposed_provenance_mut::<AtomicU64>(word);
                // SAFETY: an aligned word in this process's view of the image, which others only read.
                unsafe { (*word).store(va, Ordering::Release) };
            }
        }
    }

    pub(super) fn job<'t>(
        &'t self,
        live: &Live,
        text: &'t str,
        block: [u32; 3],
        cuda_version: i32,
    ) -> Request<'t> {
        let cc = live.device.cc();
        let chooser = super::image::Chooser { cc, cuda_version };
        Request {
            job: Job {
                ptx: text,
                kernel: Some(&self.info().name),
                block,
                options: self.loaded.options,
                cc,
                max_ptx_version: chooser.max_ptx_version(),
                isa: compiler::host_isa(),
            },
            digest: self.loaded.image.digest(text),
            cuda_version,
        }
    }
}

/// Tells what is wrong with an image, where the program's own log may go unread; the code.
pub(crate) fn report(error: &LoadError) -> CUresult {
    if !error.log.trim().is_empty() {
        complain(&format!(
            "{}: {}",
            error.code.name().unwrap_or("error"),
            error.log.trim_end()
        ));
    }
    error.code
}

/// Loads an image as a module of the current context.
pub(crate) fn load(image: Image, options: Options) -> Result<usize, LoadError> {
    let failed = |code| LoadError::new(code, String::new());
    let live = context::current().map_err(failed)?;
    let loaded = Loaded::create(&live, Arc::new(image), options)?;
    loaded.prepare().map_err(failed)?;
    let handle = MODULES
        .insert(Module {
            loaded: loaded.clone(),
        })
        .map_err(failed)?;
    let _ = loaded.handle.set(handle);
    Ok(handle)
}

/// Unloads a module, after the work that may use it.
pub(crate) fn unload(handle: usize) -> Result<(), CUresult> {
    let live = context::current()?;
    let module = MODULES.remove(handle)?;
    let waited = live.synchronize();
    module.loaded.unload();
    waited
}

/// Ends everything that modules hold in a context.
pub(crate) fn end_context(context: usize) {
    drop(MODULES.remove_if(|m| m.loaded.context == context));
    let _placing = tier::placing();
    drop(FUNCTIONS.remove_if(|f| f.loaded.context == context));
    for library in LIBRARIES.all() {
        lock(&library.loaded).retain(|_, loaded| loaded.context != context);
    }
}

/// A library: an image that is loaded into each context when first used there.
pub(crate) struct Library {
    /// Its handle.
    pub handle: usize,
    /// The image.
    pub image: Arc<Image>,
    /// Compiler options.
    pub options: Options,
    /// Kernels, by index.
    pub kernels: OnceLock<Vec<usize>>,
    loaded: Mutex<HashMap<u64, Arc<Loaded>>>,
}

/// A kernel of a library.
pub(crate) struct LibraryKernel {
    /// The library.
    pub library: Arc<Library>,
    /// Index in the image.
    pub kernel: usize,
    /// Handle of its function in the context that launched it last, 0 none: a guess, to be checked.
    last: AtomicUsize,
}

/// Makes a library of an image. No context is needed.
pub(crate) fn load_library(image: Image, options: Options) -> Result<usize, CUresult> {
    let count = image.kernels.len();
    let (handle, library) = LIBRARIES.insert_with(|handle| Library {
        handle,
        image: Arc::new(image),
        options,
        kernels: OnceLock::new(),
        loaded: Mutex::default(),
    })?;
    let kernels = (0..count)
        .map(|kernel| {
            KERNELS.insert(LibraryKernel {
                library: library.clone(),
                kernel,
                last: AtomicUsize::new(0),
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    let _ = library.kernels.set(kernels);
    Ok(handle)
}

/// Unloads a library from all contexts.
pub(crate) fn unload_library(handle: usize) -> Result<(), CUresult> {
    let library = LIBRARIES.remove(handle)?;
    for kernel in library.kernels.get().into_iter().flatten() {
        KERNELS.remove(*kernel)?;
    }
    for (_, loaded) in lock(&library.loaded).drain() {
        if let Some(live) = CONTEXTS.get(loaded.context).ok().and_then(|c| c.live()) {
            // A context that failed has nothing left to wait for.
            let _ = live.synchronize();
        }
        if let Some(module) = loaded.handle.get() {
            let _ = MODULES.remove(*module);
        }
        loaded.unload();
    }
    Ok(())
}

impl Library {
    /// What the library holds in a context, loaded at first use.
    pub(crate) fn in_context(&self, live: &Live) -> Result<Arc<Loaded>, CUresult> {
        let mut loaded = lock(&self.loaded);
        if let Some(there) = loaded.get(&live.id) {
            return Ok(there.clone());
        }
        let new = Loaded::create(live, self.image.clone(), self.options)
            .map_err(|error| report(&error))?;
        new.prepare()?;
        loaded.insert(live.id, new.clone());
        Ok(new)
    }

    /// The handle of a kernel by name.
    pub(crate) fn kernel(&self, name: &str) -> Result<CUkernel, CUresult> {
        let index = self.image.kernel(name).ok_or(CUresult::NOT_FOUND)?;
        self.kernels
            .get()
            .and_then(|k| k.get(index))
            .map(|h| CUkernel(*h))
            .ok_or(CUresult::NOT_FOUND)
    }
}

impl LibraryKernel {
    /// The kernel in the current context.
    pub(crate) fn function(&self) -> Result<CUfunction, CUresult> {
        self.resolve().map(|(handle, _)| handle)
    }

    /// The kernel in the current context, and its handle there.
    fn resolve(&self) -> Result<(CUfunction, Arc<Function>), CUresult> {
        let live = context::current()?;
        // No lock in most cases: handles are never used again, and contexts' numbers neither.
        let last = self.last.load(Ordering::Relaxed);
        if last != 0
            && let Ok(function) = FUNCTIONS.get(last)
            && function.loaded.live == live.id
            && function.kernel == self.kernel
            && Arc::ptr_eq(&function.loaded.image, &self.library.image)
        {
            return Ok((CUfunction(last), function));
        }
        let handle = self.library.in_context(&live)?.function(self.kernel)?;
        let function = FUNCTIONS.get(handle.0)?;
        self.last.store(handle.0, Ordering::Relaxed);
        Ok((handle, function))
    }
}

/// What a `CUfunction` argument means: a kernel of a context, or of a library and then of the current context.
pub(crate) fn resolve(function: CUfunction) -> Result<Arc<Function>, CUresult> {
    match FUNCTIONS.get(function.0) {
        Ok(function) => Ok(function),
        Err(error) => match KERNELS.get(function.0) {
            Ok(kernel) => kernel.resolve().map(|(_, function)| function),
            Err(_) => Err(error),
        },
    }
}
