//! Area `error`.

use super::types::*;

api_table! { "error";
    fn cuGetErrorName(error: CUresult, str: Out<In<c_char>>) since 6000 = early(error::name);
    fn cuGetErrorString(error: CUresult, str: Out<In<c_char>>) since 6000 = early(error::string);
}
