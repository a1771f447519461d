//! Area `coredump`.

use super::types::*;

api_table! { "coredump";
    fn cuCoredumpGetAttribute(attrib: CUcoredumpSettings, value: Out<c_void>, size: Out<usize>) since 12010 = todo;
    fn cuCoredumpGetAttributeGlobal(attrib: CUcoredumpSettings, value: Out<c_void>, size: Out<usize>) since 12010 = todo;
    fn cuCoredumpSetAttribute(attrib: CUcoredumpSettings, value: Out<c_void>, size: Out<usize>) since 12010 = todo;
    fn cuCoredumpSetAttributeGlobal(attrib: CUcoredumpSettings, value: Out<c_void>, size: Out<usize>) since 12010 = todo;
}
