// The Driver API's rows with a default stream, in the form for the per-thread one.
// expect: 0 wrong
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "driver_rows.cuh"
