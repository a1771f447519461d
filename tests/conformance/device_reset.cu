// After cudaDeviceReset the next call starts anew, also after a fault, which until then is what every call returns.
// flags: -arch=sm_80
// expect: after reset 7
// expect: bin 90 ptx 80 regs>0 1
// expect: cudaErrorIllegalAddress
// expect: cudaErrorIllegalAddress
// expect: cudaErrorIllegalAddress
// expect: cudaErrorIllegalAddress
// expect: free cudaErrorIllegalAddress
// expect: reset cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
// expect: cudaSuccess
#include "check.cuh"
__global__ void f(int*p){*p=7;}
int main(){ int*p; CHECK(cudaMalloc(&p,100)); f<<<1,1>>>(p); FINISH(); CHECK(cudaDeviceReset()); CHECK(cudaMalloc(&p,100)); f<<<1,1>>>(p); FINISH(); int v; CHECK(cudaMemcpy(&v,p,4,cudaMemcpyDefault)); printf("after reset %d\n",v);
 cudaFuncAttributes fa; CHECK(cudaFuncGetAttributes(&fa, f)); printf("bin %d ptx %d regs>0 %d\n", fa.binaryVersion, fa.ptxVersion, fa.numRegs>0);
 f<<<1,1>>>((int*)8); printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize())); printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize())); printf("%s\n", cudaGetErrorName(cudaGetLastError()));printf("%s\n", cudaGetErrorName(cudaGetLastError()));printf("free %s\n", cudaGetErrorName(cudaFree(p)));
 printf("reset %s\n", cudaGetErrorName(cudaDeviceReset())); printf("%s\n", cudaGetErrorName(cudaMalloc(&p,100))); f<<<1,1>>>(p); printf("%s\n", cudaGetErrorName(cudaGetLastError())); printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize())); }
