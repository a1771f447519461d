//! Area `init`.

use super::types::*;

api_table! { "init";
    fn cuInit(flags: u32) since 2000 = early(init::init);
}
