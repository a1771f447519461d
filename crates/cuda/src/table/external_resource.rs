//! Area `external_resource`.

use super::types::*;

api_table! { "external_resource";
    fn cuDestroyExternalMemory(ext_mem: CUexternalMemory) since 10000 = call(external::destroy);
    fn cuDestroyExternalSemaphore(ext_sem: CUexternalSemaphore) since 10000 = call(external::destroy_semaphore);
    fn cuExternalMemoryGetMappedBuffer(dev_ptr: Out<CUdeviceptr>, ext_mem: CUexternalMemory, buffer_desc: In<CUDA_EXTERNAL_MEMORY_BUFFER_DESC>) since 10000 = call(external::mapped_buffer);
    fn cuExternalMemoryGetMappedMipmappedArray(mipmap: Out<CUmipmappedArray>, ext_mem: CUexternalMemory, mipmap_desc: In<CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC>) since 10000 = call(external::mapped_mipmapped_array);
    fn cuImportExternalMemory(ext_mem_out: Out<CUexternalMemory>, mem_handle_desc: In<CUDA_EXTERNAL_MEMORY_HANDLE_DESC>) since 10000 = call(external::import);
    fn cuImportExternalSemaphore(ext_sem_out: Out<CUexternalSemaphore>, sem_handle_desc: In<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC>) since 10000 = call(external::import_semaphore);
    fn cuSignalExternalSemaphoresAsync(ext_sem_array: In<CUexternalSemaphore>, params_array: In<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>, num_ext_sems: u32, stream: CUstream) since 10000 = call(external::signal);
    fn cuSignalExternalSemaphoresAsync_ptsz(ext_sem_array: In<CUexternalSemaphore>, params_array: In<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>, num_ext_sems: u32, stream: CUstream) since 10000 = call(external::signal);
    fn cuWaitExternalSemaphoresAsync(ext_sem_array: In<CUexternalSemaphore>, params_array: In<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>, num_ext_sems: u32, stream: CUstream) since 10000 = call(external::wait);
    fn cuWaitExternalSemaphoresAsync_ptsz(ext_sem_array: In<CUexternalSemaphore>, params_array: In<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>, num_ext_sems: u32, stream: CUstream) since 10000 = call(external::wait);
}
