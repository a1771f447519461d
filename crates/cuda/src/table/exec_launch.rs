//! Area `exec_launch`.

use super::types::*;

api_table! { "exec_launch";
    fn cuFuncGetAttribute(pi: Out<i32>, attrib: CUfunction_attribute, hfunc: CUfunction) since 2020 = call(function::get_attribute);
    fn cuFuncGetModule(hmod: Out<CUmodule>, hfunc: CUfunction) since 11000 = call(function::get_module);
    fn cuFuncGetName(name: Out<In<c_char>>, hfunc: CUfunction) since 12030 = call(function::get_name);
    fn cuFuncGetParamInfo(func: CUfunction, param_index: usize, param_offset: Out<usize>, param_size: Out<usize>) since 12040 = call(function::get_param_info);
    fn cuFuncIsLoaded(state: Out<CUfunctionLoadingState>, function: CUfunction) since 12040 = call(function::is_loaded);
    fn cuFuncLoad(function: CUfunction) since 12040 = call(function::load);
    fn cuFuncSetAttribute(hfunc: CUfunction, attrib: CUfunction_attribute, value: i32) since 9000 = call(function::set_attribute);
    fn cuFuncSetBlockShape(hfunc: CUfunction, x: i32, y: i32, z: i32) since 2000 = call(legacy_launch::set_block_shape);
    fn cuFuncSetCacheConfig(hfunc: CUfunction, config: CUfunc_cache) since 3000 = call(function::set_cache_config);
    fn cuFuncSetSharedMemConfig(hfunc: CUfunction, config: CUsharedconfig) since 4020 = call(function::set_shared_mem_config);
    fn cuFuncSetSharedSize(hfunc: CUfunction, bytes: u32) since 2000 = call(legacy_launch::set_shared_size);
    fn cuLaunch(f: CUfunction) since 2000 = call(legacy_launch::launch);
    fn cuLaunchCooperativeKernel(f: CUfunction, grid_dim_x: u32, grid_dim_y: u32, grid_dim_z: u32, block_dim_x: u32, block_dim_y: u32, block_dim_z: u32, shared_mem_bytes: u32, stream: CUstream, kernel_params: Out<Out<c_void>>) since 9000 = call(function::launch_cooperative_kernel);
    fn cuLaunchCooperativeKernelMultiDevice(launch_params_list: Out<CUDA_LAUNCH_PARAMS>, num_devices: u32, flags: u32) since 9000 = call(legacy_launch::launch_multi_device);
    fn cuLaunchCooperativeKernel_ptsz(f: CUfunction, grid_dim_x: u32, grid_dim_y: u32, grid_dim_z: u32, block_dim_x: u32, block_dim_y: u32, block_dim_z: u32, shared_mem_bytes: u32, stream: CUstream, kernel_params: Out<Out<c_void>>) since 9000 = call(function::launch_cooperative_kernel);
    fn cuLaunchGrid(f: CUfunction, grid_width: i32, grid_height: i32) since 2000 = call(legacy_launch::launch_grid);
    fn cuLaunchGridAsync(f: CUfunction, grid_width: i32, grid_height: i32, stream: CUstream) since 2000 = call(legacy_launch::launch_grid_async);
    fn cuLaunchHostFunc(stream: CUstream, fn_: CUhostFn, user_data: Out<c_void>) since 10000 = call(stream::launch_host_func);
    fn cuLaunchHostFunc_ptsz(stream: CUstream, fn_: CUhostFn, user_data: Out<c_void>) since 10000 = call(stream::launch_host_func);
    fn cuLaunchKernel(f: CUfunction, grid_dim_x: u32, grid_dim_y: u32, grid_dim_z: u32, block_dim_x: u32, block_dim_y: u32, block_dim_z: u32, shared_mem_bytes: u32, stream: CUstream, kernel_params: Out<Out<c_void>>, extra: Out<Out<c_void>>) since 4000 = call(function::launch_kernel);
    fn cuLaunchKernelEx(config: In<CUlaunchConfig>, f: CUfunction, kernel_params: Out<Out<c_void>>, extra: Out<Out<c_void>>) since 11060 = call(function::launch_kernel_ex);
    fn cuLaunchKernelEx_ptsz(config: In<CUlaunchConfig>, f: CUfunction, kernel_params: Out<Out<c_void>>, extra: Out<Out<c_void>>) since 11060 = call(function::launch_kernel_ex);
    fn cuLaunchKernel_ptsz(f: CUfunction, grid_dim_x: u32, grid_dim_y: u32, grid_dim_z: u32, block_dim_x: u32, block_dim_y: u32, block_dim_z: u32, shared_mem_bytes: u32, stream: CUstream, kernel_params: Out<Out<c_void>>, extra: Out<Out<c_void>>) since 7000 = call(function::launch_kernel);
    fn cuParamSetSize(hfunc: CUfunction, numbytes: u32) since 2000 = call(legacy_launch::set_parameter_size);
    fn cuParamSetTexRef(hfunc: CUfunction, texunit: i32, tex_ref: CUtexref) since 2000 = call(texture_reference::param_set);
    fn cuParamSetf(hfunc: CUfunction, offset: i32, value: f32) since 2000 = call(legacy_launch::set_float);
    fn cuParamSeti(hfunc: CUfunction, offset: i32, value: u32) since 2000 = call(legacy_launch::set_integer);
    fn cuParamSetv(hfunc: CUfunction, offset: i32, ptr: Out<c_void>, numbytes: u32) since 2000 = call(legacy_launch::set_vector);
}
