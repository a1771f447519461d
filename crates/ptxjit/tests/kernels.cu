// 13 kernels of the measurements (our own).
// 13 CUDA kernels, our own code.  Same source is compiled by nvcc (-> PTX) and by HIP-CPU.
#ifndef FULLMASK
#define FULLMASK 0xffffffffu
#endif
extern "C" {
__global__ void vecadd(const float* a,const float* b,float* c,int n){
  int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n) c[i]=a[i]+b[i]; }

__global__ void sgemm_naive(const float* A,const float* B,float* C,int N){
  int x=blockIdx.x*blockDim.x+threadIdx.x, y=blockIdx.y*blockDim.y+threadIdx.y;
  if(x<N&&y<N){ float s=0; for(int k=0;k<N;k++) s+=A[y*N+k]*B[k*N+x]; C[y*N+x]=s; } }

#define TS 16
__global__ void sgemm_tiled(const float* A,const float* B,float* C,int N){
  __shared__ float As[TS][TS]; __shared__ float Bs[TS][TS];
  int tx=threadIdx.x, ty=threadIdx.y; int x=blockIdx.x*TS+tx, y=blockIdx.y*TS+ty; float s=0;
  for(int t=0;t<N;t+=TS){
    As[ty][tx]=A[y*N+t+tx]; Bs[ty][tx]=B[(t+ty)*N+x]; __syncthreads();
    #pragma unroll
    for(int k=0;k<TS;k++) s+=As[ty][k]*Bs[k][tx];
    __syncthreads();
  }
  C[y*N+x]=s; }

__global__ void reduce(const float* x,float* out,int n){
  __shared__ float sh[32];
  int t=threadIdx.x; float s=0;
  for(int i=blockIdx.x*blockDim.x+t;i<n;i+=gridDim.x*blockDim.x) s+=x[i];
  for(int o=16;o>0;o>>=1) s+=__shfl_down_sync(FULLMASK,s,o);
  if((t&31)==0) sh[t>>5]=s;
  __syncthreads();
  if(t<32){ s=(t<(int)(blockDim.x>>5))?sh[t]:0.f;
    for(int o=16;o>0;o>>=1) s+=__shfl_down_sync(FULLMASK,s,o);
    if(t==0) atomicAdd(out,s); } }

__global__ void scan_block(const int* in,int* out,int* sums,int n){   // inclusive, blockDim<=1024
  __shared__ int ws[32];
  int t=threadIdx.x, i=blockIdx.x*blockDim.x+t, lane=t&31, w=t>>5;
  int v=i<n?in[i]:0;
  for(int o=1;o<32;o<<=1){ int u=__shfl_up_sync(FULLMASK,v,o); if(lane>=o) v+=u; }
  if(lane==31) ws[w]=v;
  __syncthreads();
  if(w==0){ int s=lane<(int)(blockDim.x>>5)?ws[lane]:0;
    for(int o=1;o<32;o<<=1){ int u=__shfl_up_sync(FULLMASK,s,o); if(lane>=o) s+=u; }
    ws[lane]=s; }
  __syncthreads();
  if(w>0) v+=ws[w-1];
  if(i<n) out[i]=v;
  if(sums&&t==(int)blockDim.x-1) sums[blockIdx.x]=v; }
__global__ void scan_add(int* out,const int* sums,int n){
  int i=blockIdx.x*blockDim.x+threadIdx.x; if(blockIdx.x>0&&i<n) out[i]+=sums[blockIdx.x-1]; }

__global__ void nbody(const float4* pos,float4* acc,int n){
  __shared__ float4 sp[256];
  int i=blockIdx.x*blockDim.x+threadIdx.x; float4 p=pos[i]; float ax=0,ay=0,az=0;
  for(int t=0;t<n;t+=256){
    sp[threadIdx.x]=pos[t+threadIdx.x]; __syncthreads();
    #pragma unroll 4
    for(int j=0;j<256;j++){ float4 q=sp[j]; float dx=q.x-p.x,dy=q.y-p.y,dz=q.z-p.z;
      float d=dx*dx+dy*dy+dz*dz+0.01f; float r=rsqrtf(d); float s=q.w*r*r*r; ax+=dx*s; ay+=dy*s; az+=dz*s; }
    __syncthreads();
  }
  float4 r; r.x=ax; r.y=ay; r.z=az; r.w=0; acc[i]=r; }

__global__ void mandel(int* out,int w,int h,int maxit){
  int x=blockIdx.x*blockDim.x+threadIdx.x, y=blockIdx.y*blockDim.y+threadIdx.y;
  if(x>=w||y>=h) return;
  float cr=-2.0f+3.0f*x/w, ci=-1.0f+2.0f*y/h, zr=cr, zi=ci; int i;
  for(i=0;i<maxit;i++){ if(zr*zr+zi*zi>4.f) break; float nr=zr*zr-zi*zi, ni=2.f*zr*zi; zr=cr+nr; zi=ci+ni; }
  out[y*w+x]=i; }

__device__ inline float cnd(float d){
  const float A1=0.31938153f,A2=-0.356563782f,A3=1.781477937f,A4=-1.821255978f,A5=1.330274429f,R=0.39894228040143267794f;
  float K=1.0f/(1.0f+0.2316419f*fabsf(d));
  float c=R*expf(-0.5f*d*d)*(K*(A1+K*(A2+K*(A3+K*(A4+K*A5)))));
  return d>0?1.0f-c:c; }
__global__ void blackscholes(const float* S,const float* X,const float* T,float* call,float* put,int n){
  int i=blockIdx.x*blockDim.x+threadIdx.x; if(i>=n) return;
  const float Rf=0.02f,V=0.30f;
  float s=S[i],x=X[i],t=T[i]; float q=sqrtf(t);
  float d1=(logf(s/x)+(Rf+0.5f*V*V)*t)/(V*q), d2=d1-V*q;
  float c1=cnd(d1),c2=cnd(d2),e=expf(-Rf*t);
  call[i]=s*c1-x*e*c2; put[i]=x*e*(1.0f-c2)-s*(1.0f-c1); }

__global__ void hist(const unsigned* in,unsigned* bins,int nwords){
  __shared__ unsigned h[256];
  for(int i=threadIdx.x;i<256;i+=blockDim.x) h[i]=0;
  __syncthreads();
  for(int i=blockIdx.x*blockDim.x+threadIdx.x;i<nwords;i+=gridDim.x*blockDim.x){ unsigned v=in[i];
    atomicAdd(&h[v&255],1u); atomicAdd(&h[(v>>8)&255],1u); atomicAdd(&h[(v>>16)&255],1u); atomicAdd(&h[v>>24],1u); }
  __syncthreads();
  for(int i=threadIdx.x;i<256;i+=blockDim.x) atomicAdd(&bins[i],h[i]); }

__global__ void jacobi(const float* in,float* out,int w,int h){
  int x=blockIdx.x*blockDim.x+threadIdx.x, y=blockIdx.y*blockDim.y+threadIdx.y;
  if(x>0&&y>0&&x<w-1&&y<h-1){ int i=y*w+x; out[i]=0.2f*(in[i]+in[i-1]+in[i+1]+in[i-w]+in[i+w]); } }

__global__ void transpose(const float* in,float* out,int w,int h){
  __shared__ float t[32][33];
  int x=blockIdx.x*32+threadIdx.x, y=blockIdx.y*32+threadIdx.y;
  for(int j=0;j<32;j+=8) t[threadIdx.y+j][threadIdx.x]=in[(y+j)*w+x];
  __syncthreads();
  x=blockIdx.y*32+threadIdx.x; y=blockIdx.x*32+threadIdx.y;
  for(int j=0;j<32;j+=8) out[(y+j)*h+x]=t[threadIdx.x][threadIdx.y+j]; }

__global__ void bitonic(int* d,int j,int k){
  unsigned i=blockIdx.x*blockDim.x+threadIdx.x, p=i^j;
  if(p>i){ int a=d[i],b=d[p]; bool up=(i&k)==0; if((a>b)==up){ d[i]=b; d[p]=a; } } }

__global__ void spmv(const int* rp,const int* ci,const float* v,const float* x,float* y,int n){
  int r=blockIdx.x*blockDim.x+threadIdx.x; if(r>=n) return;
  float s=0; for(int k=rp[r];k<rp[r+1];k++) s+=v[k]*x[ci[k]]; y[r]=s; }
}
