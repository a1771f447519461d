// malloc and free in a kernel.
// expect: malloc ok
#include "check.cuh"
__global__ void k7(int *o) { int *p = (int *)malloc(40 * sizeof(int)); if (!p) { o[threadIdx.x] = -1; return; } for (int i = 0; i < 40; i++) p[i] = i * threadIdx.x; int s = 0; for (int i = 0; i < 40; i++) s += p[i]; o[threadIdx.x] = s; free(p); }
int main(){ Device<int> o(96);  k7<<<1, 96>>>(o); FINISH(); compare("malloc", o.host(), [](int i) { return i * 780; });}
