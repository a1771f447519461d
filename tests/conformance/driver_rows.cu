// The Driver API's rows with a default stream, in the form for the legacy one.
// expect: 0 wrong
#include "driver_rows.cuh"
