//! Area `logs`.

use super::types::*;

api_table! { "logs";
    fn cuLogsCurrent(iterator_out: Out<CUlogIterator>, flags: u32) since 12090 = todo;
    fn cuLogsDumpToFile(iterator: Out<CUlogIterator>, path_to_file: In<c_char>, flags: u32) since 12090 = todo;
    fn cuLogsDumpToMemory(iterator: Out<CUlogIterator>, buffer: Out<c_char>, size: Out<usize>, flags: u32) since 12090 = todo;
    fn cuLogsRegisterCallback(callback_func: CUlogsCallback, user_data: Out<c_void>, callback_out: Out<CUlogsCallbackHandle>) since 12090 = todo;
    fn cuLogsUnregisterCallback(callback: CUlogsCallbackHandle) since 12090 = todo;
}
