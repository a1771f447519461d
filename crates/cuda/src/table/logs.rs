//! Area `logs`.

use super::types::*;

api_table! { "logs";
    fn cuLogsCurrent(iterator_out: Out<CUlogIterator>, flags: u32) since 12090 = early(logs::current);
    fn cuLogsDumpToFile(iterator: Out<CUlogIterator>, path_to_file: In<c_char>, flags: u32) since 12090 = early(logs::dump_to_file);
    fn cuLogsDumpToMemory(iterator: Out<CUlogIterator>, buffer: Out<c_char>, size: Out<usize>, flags: u32) since 12090 = early(logs::dump_to_memory);
    fn cuLogsRegisterCallback(callback_func: CUlogsCallback, user_data: Out<c_void>, callback_out: Out<CUlogsCallbackHandle>) since 12090 = early(logs::register);
    fn cuLogsUnregisterCallback(callback: CUlogsCallbackHandle) since 12090 = early(logs::unregister);
}
