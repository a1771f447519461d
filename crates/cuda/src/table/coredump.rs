//! Area `coredump`.

use super::types::*;

api_table! { "coredump";
    fn cuCoredumpGetAttribute(attrib: CUcoredumpSettings, value: Out<c_void>, size: Out<usize>) since 12010 = call(coredump::get_attribute);
    fn cuCoredumpGetAttributeGlobal(attrib: CUcoredumpSettings, value: Out<c_void>, size: Out<usize>) since 12010 = early(coredump::get_attribute_global);
    fn cuCoredumpSetAttribute(attrib: CUcoredumpSettings, value: Out<c_void>, size: Out<usize>) since 12010 = call(coredump::set_attribute);
    fn cuCoredumpSetAttributeGlobal(attrib: CUcoredumpSettings, value: Out<c_void>, size: Out<usize>) since 12010 = early(coredump::set_attribute_global);
}
