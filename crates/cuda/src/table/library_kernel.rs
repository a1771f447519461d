//! Area `library_kernel`.

use super::types::*;

api_table! { "library_kernel";
    fn cuKernelGetAttribute(pi: Out<i32>, attrib: CUfunction_attribute, kernel: CUkernel, dev: CUdevice) since 12000 = todo;
    fn cuKernelGetFunction(func: Out<CUfunction>, kernel: CUkernel) since 12000 = todo;
    fn cuKernelGetLibrary(lib: Out<CUlibrary>, kernel: CUkernel) since 12050 = todo;
    fn cuKernelGetName(name: Out<In<c_char>>, hfunc: CUkernel) since 12030 = todo;
    fn cuKernelGetParamInfo(kernel: CUkernel, param_index: usize, param_offset: Out<usize>, param_size: Out<usize>) since 12040 = todo;
    fn cuKernelSetAttribute(attrib: CUfunction_attribute, val: i32, kernel: CUkernel, dev: CUdevice) since 12000 = todo;
    fn cuKernelSetCacheConfig(kernel: CUkernel, config: CUfunc_cache, dev: CUdevice) since 12000 = todo;
    fn cuLibraryEnumerateKernels(kernels: Out<CUkernel>, num_kernels: u32, lib: CUlibrary) since 12040 = todo;
    fn cuLibraryGetGlobal(dptr: Out<CUdeviceptr>, bytes: Out<usize>, library: CUlibrary, name: In<c_char>) since 12000 = todo;
    fn cuLibraryGetKernel(kernel: Out<CUkernel>, library: CUlibrary, name: In<c_char>) since 12000 = todo;
    fn cuLibraryGetKernelCount(count: Out<u32>, lib: CUlibrary) since 12040 = todo;
    fn cuLibraryGetManaged(dptr: Out<CUdeviceptr>, bytes: Out<usize>, library: CUlibrary, name: In<c_char>) since 12000 = todo;
    fn cuLibraryGetModule(module: Out<CUmodule>, library: CUlibrary) since 12000 = todo;
    fn cuLibraryGetUnifiedFunction(fptr: Out<Out<c_void>>, library: CUlibrary, symbol: In<c_char>) since 12000 = todo;
    fn cuLibraryLoadData(library: Out<CUlibrary>, code: In<c_void>, jit_options: Out<CUjit_option>, jit_options_values: Out<Out<c_void>>, num_jit_options: u32, library_options: Out<CUlibraryOption>, library_option_values: Out<Out<c_void>>, num_library_options: u32) since 12000 = todo;
    fn cuLibraryLoadFromFile(library: Out<CUlibrary>, file_name: In<c_char>, jit_options: Out<CUjit_option>, jit_options_values: Out<Out<c_void>>, num_jit_options: u32, library_options: Out<CUlibraryOption>, library_option_values: Out<Out<c_void>>, num_library_options: u32) since 12000 = todo;
    fn cuLibraryUnload(library: CUlibrary) since 12000 = todo;
}
