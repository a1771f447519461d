//! Area `undocumented`.

use super::types::*;

api_table! { "undocumented";
    fn cuEGLApiInit() since 0 = never("undocumented");
    fn cuMemGetAttribute() since 0 = never("undocumented");
    fn cuMemGetAttribute_v2() since 0 = never("undocumented");
}
