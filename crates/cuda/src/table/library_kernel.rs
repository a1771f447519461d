//! Area `library_kernel`.

use super::types::*;

api_table! { "library_kernel";
    fn cuKernelGetAttribute(pi: Out<i32>, attrib: CUfunction_attribute, kernel: CUkernel, dev: CUdevice) since 12000 = call(library::kernel_get_attribute);
    fn cuKernelGetFunction(func: Out<CUfunction>, kernel: CUkernel) since 12000 = call(library::kernel_get_function);
    fn cuKernelGetLibrary(lib: Out<CUlibrary>, kernel: CUkernel) since 12050 = call(library::kernel_get_library);
    fn cuKernelGetName(name: Out<In<c_char>>, hfunc: CUkernel) since 12030 = call(library::kernel_get_name);
    fn cuKernelGetParamInfo(kernel: CUkernel, param_index: usize, param_offset: Out<usize>, param_size: Out<usize>) since 12040 = call(library::kernel_get_param_info);
    fn cuKernelSetAttribute(attrib: CUfunction_attribute, val: i32, kernel: CUkernel, dev: CUdevice) since 12000 = call(library::kernel_set_attribute);
    fn cuKernelSetCacheConfig(kernel: CUkernel, config: CUfunc_cache, dev: CUdevice) since 12000 = call(library::kernel_set_cache_config);
    fn cuLibraryEnumerateKernels(kernels: Out<CUkernel>, num_kernels: u32, lib: CUlibrary) since 12040 = call(library::enumerate_kernels);
    fn cuLibraryGetGlobal(dptr: Out<CUdeviceptr>, bytes: Out<usize>, library: CUlibrary, name: In<c_char>) since 12000 = call(library::get_global);
    fn cuLibraryGetKernel(kernel: Out<CUkernel>, library: CUlibrary, name: In<c_char>) since 12000 = call(library::get_kernel);
    fn cuLibraryGetKernelCount(count: Out<u32>, lib: CUlibrary) since 12040 = call(library::get_kernel_count);
    fn cuLibraryGetManaged(dptr: Out<CUdeviceptr>, bytes: Out<usize>, library: CUlibrary, name: In<c_char>) since 12000 = call(library::get_managed);
    fn cuLibraryGetModule(module: Out<CUmodule>, library: CUlibrary) since 12000 = call(library::get_module);
    fn cuLibraryGetUnifiedFunction(fptr: Out<Out<c_void>>, library: CUlibrary, symbol: In<c_char>) since 12000 = call(library::get_unified_function);
    fn cuLibraryLoadData(library: Out<CUlibrary>, code: In<c_void>, jit_options: Out<CUjit_option>, jit_options_values: Out<Out<c_void>>, num_jit_options: u32, library_options: Out<CUlibraryOption>, library_option_values: Out<Out<c_void>>, num_library_options: u32) since 12000 = call(library::load_data);
    fn cuLibraryLoadFromFile(library: Out<CUlibrary>, file_name: In<c_char>, jit_options: Out<CUjit_option>, jit_options_values: Out<Out<c_void>>, num_jit_options: u32, library_options: Out<CUlibraryOption>, library_option_values: Out<Out<c_void>>, num_library_options: u32) since 12000 = call(library::load_from_file);
    fn cuLibraryUnload(library: CUlibrary) since 12000 = call(library::unload);
}
