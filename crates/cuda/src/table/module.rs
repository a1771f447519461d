//! Area `module`.

use super::types::*;

api_table! { "module";
    fn cuLinkAddData(state: CUlinkState, type_: CUjitInputType, data: Out<c_void>, size: usize, name: In<c_char>, num_options: u32, options: Out<CUjit_option>, option_values: Out<Out<c_void>>) since 5050 = call(link::add_data);
    fn cuLinkAddData_v2(state: CUlinkState, type_: CUjitInputType, data: Out<c_void>, size: usize, name: In<c_char>, num_options: u32, options: Out<CUjit_option>, option_values: Out<Out<c_void>>) since 6050 = call(link::add_data);
    fn cuLinkAddFile(state: CUlinkState, type_: CUjitInputType, path: In<c_char>, num_options: u32, options: Out<CUjit_option>, option_values: Out<Out<c_void>>) since 5050 = call(link::add_file);
    fn cuLinkAddFile_v2(state: CUlinkState, type_: CUjitInputType, path: In<c_char>, num_options: u32, options: Out<CUjit_option>, option_values: Out<Out<c_void>>) since 6050 = call(link::add_file);
    fn cuLinkComplete(state: CUlinkState, cubin_out: Out<Out<c_void>>, size_out: Out<usize>) since 5050 = call(link::complete);
    fn cuLinkCreate(num_options: u32, options: Out<CUjit_option>, option_values: Out<Out<c_void>>, state_out: Out<CUlinkState>) since 5050 = call(link::create);
    fn cuLinkCreate_v2(num_options: u32, options: Out<CUjit_option>, option_values: Out<Out<c_void>>, state_out: Out<CUlinkState>) since 6050 = call(link::create);
    fn cuLinkDestroy(state: CUlinkState) since 5050 = call(link::destroy);
    fn cuModuleEnumerateFunctions(functions: Out<CUfunction>, num_functions: u32, module: CUmodule) since 12040 = call(module::enumerate_functions);
    fn cuModuleGetFunction(hfunc: Out<CUfunction>, hmod: CUmodule, name: In<c_char>) since 2000 = call(module::get_function);
    fn cuModuleGetFunctionCount(count: Out<u32>, module: CUmodule) since 12040 = call(module::get_function_count);
    fn cuModuleGetGlobal(dptr: Out<CUdeviceptr_v1>, bytes: Out<u32>, hmod: CUmodule, name: In<c_char>) since 2000 = never("32-bit device pointers of CUDA 3.1 and older");
    fn cuModuleGetGlobal_v2(dptr: Out<CUdeviceptr>, bytes: Out<usize>, hmod: CUmodule, name: In<c_char>) since 3020 = call(module::get_global);
    fn cuModuleGetLoadingMode(mode: Out<CUmoduleLoadingMode>) since 11070 = call(module::get_loading_mode);
    fn cuModuleGetSurfRef(surf_ref: Out<CUsurfref>, hmod: CUmodule, name: In<c_char>) since 3000 = call(texture_reference::module_surface);
    fn cuModuleGetTexRef(tex_ref: Out<CUtexref>, hmod: CUmodule, name: In<c_char>) since 2000 = call(texture_reference::module_texture);
    fn cuModuleLoad(module: Out<CUmodule>, fname: In<c_char>) since 2000 = call(module::load);
    fn cuModuleLoadData(module: Out<CUmodule>, image: In<c_void>) since 2000 = call(module::load_data);
    fn cuModuleLoadDataEx(module: Out<CUmodule>, image: In<c_void>, num_options: u32, options: Out<CUjit_option>, option_values: Out<Out<c_void>>) since 2010 = call(module::load_data_ex);
    fn cuModuleLoadFatBinary(module: Out<CUmodule>, fat_cubin: In<c_void>) since 2000 = call(module::load_data);
    fn cuModuleUnload(hmod: CUmodule) since 2000 = call(module::unload);
}
