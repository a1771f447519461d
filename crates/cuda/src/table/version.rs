//! Area `version`.

use super::types::*;

api_table! { "version";
    fn cuDriverGetVersion(driver_version: Out<i32>) since 2020 = early(init::driver_version);
}
