//! Area `profiler`.

use super::types::*;

api_table! { "profiler";
    fn cuProfilerInitialize(config_file: In<c_char>, output_file: In<c_char>, output_mode: CUoutput_mode) since 4000 = call(profiler::initialize);
    fn cuProfilerStart() since 4000 = call(profiler::start);
    fn cuProfilerStop() since 4000 = call(profiler::stop);
}
