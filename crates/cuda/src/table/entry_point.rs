//! Area `entry_point`.

use super::types::*;

api_table! { "entry_point";
    fn cuGetExportTable(export_table: Out<In<c_void>>, export_table_id: In<CUuuid>) since 3000 = early(entry_point::get_export_table);
    fn cuGetProcAddress(symbol: In<c_char>, pfn: Out<Out<c_void>>, cuda_version: i32, flags: cuuint64_t) since 11030 = early(entry_point::get_proc_address);
    fn cuGetProcAddress_v2(symbol: In<c_char>, pfn: Out<Out<c_void>>, cuda_version: i32, flags: cuuint64_t, symbol_status: Out<CUdriverProcAddressQueryResult>) since 12000 = early(entry_point::get_proc_address_v2);
}
