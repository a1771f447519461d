// The thirteen functions on an OpenCL device. Memory is shared with the device: what is timed is enqueuing, the kernel and
// the wait. KERNELS names the source of the kernels.
#define CL_TARGET_OPENCL_VERSION 200
#include "harness.hpp"
#include <CL/cl.h>
#include <fstream>
#include <iterator>
#include <map>

static void check(cl_int error, const char *what) {
    if (error == CL_SUCCESS) return;
    fprintf(stderr, "OpenCL: %s: error %d\n", what, error);
    exit(1);
}

struct Device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    std::map<std::string, cl_kernel> kernels;

    Device() {
        cl_platform_id platform;
        check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &id, nullptr), "clGetDeviceIDs");
        cl_int error;
        context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, &error);
        check(error, "clCreateContext");
        queue = clCreateCommandQueueWithProperties(context, id, nullptr, &error);
        check(error, "clCreateCommandQueueWithProperties");
        const char *path = getenv("KERNELS");
        std::ifstream file(path ? path : "kernels.cl");
        std::string text{std::istreambuf_iterator<char>(file), {}};
        const char *source = text.c_str();
        program = clCreateProgramWithSource(context, 1, &source, nullptr, &error);
        check(error, "clCreateProgramWithSource");
        // What native code's -ffast-math is.
        check(clBuildProgram(program, 1, &id, "-cl-fast-relaxed-math", nullptr, nullptr), "clBuildProgram");
    }

    cl_kernel kernel(const char *name) {
        cl_kernel &known = kernels[name];
        if (!known) {
            cl_int error;
            known = clCreateKernel(program, name, &error);
            check(error, name);
        }
        return known;
    }
};

static Device &device() {
    static Device only;
    return only;
}

static void set(cl_kernel kernel, cl_uint at, const void *p) { check(clSetKernelArgSVMPointer(kernel, at, p), "argument"); }
static void set(cl_kernel kernel, cl_uint at, int v) { check(clSetKernelArg(kernel, at, sizeof v, &v), "argument"); }

struct Size {
    size_t x, y = 1;
};

// Groups of `group` work-items, as many as `groups` says.
template <class... A> static void launch(const char *name, Size groups, Size group, A... arguments) {
    cl_kernel kernel = device().kernel(name);
    cl_uint at = 0;
    (set(kernel, at++, arguments), ...);
    size_t local[] = {group.x, group.y}, global[] = {groups.x * group.x, groups.y * group.y};
    check(clEnqueueNDRangeKernel(device().queue, kernel, group.y > 1 ? 2 : 1, nullptr, global, local, 0, nullptr, nullptr), name);
}

static void finish() { check(clFinish(device().queue), "clFinish"); }
static size_t groups(int n, int size) { return (n + size - 1) / size; }

extern "C" {
const char *impl_name = "pocl";

void *k_alloc(size_t bytes) {
    void *p = clSVMAlloc(device().context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, bytes, 0);
    if (!p) check(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clSVMAlloc");
    memset(p, 0, bytes);
    return p;
}
void k_free(void *p) { clSVMFree(device().context, p); }

void k_vecadd(const float *a, const float *b, float *c, int n) {
    launch("vecadd", {groups(n, 256)}, {256}, a, b, c, n);
    finish();
}
void k_sgemm_naive(const float *A, const float *B, float *C, int N) {
    launch("sgemm_naive", {groups(N, 16), groups(N, 16)}, {16, 16}, A, B, C, N);
    finish();
}
void k_sgemm_tiled(const float *A, const float *B, float *C, int N) {
    launch("sgemm_tiled", {groups(N, 16), groups(N, 16)}, {16, 16}, A, B, C, N);
    finish();
}
void k_reduce(const float *x, float *out, int n) {
    static float *sums = static_cast<float *>(k_alloc(256 * sizeof(float)));
    launch("reduce", {256}, {256}, x, sums, n);
    finish();
    for (int i = 0; i < 256; i++) out[0] += sums[i];
}
void k_scan(const int *in, int *out, int *tmp, int n) {
    const int size = 1024;
    int count = groups(n, size), upper = groups(count, size);
    int *sums = tmp, *totals = tmp + count;
    launch("scan_block", {size_t(count)}, {size}, in, out, sums, n, 0);
    launch("scan_block", {size_t(upper)}, {size}, sums, sums, totals, count, 0);
    launch("scan_block", {1}, {size}, totals, totals, totals, upper, 1);
    launch("scan_add", {size_t(upper)}, {size}, sums, totals, count);
    launch("scan_add", {size_t(count)}, {size}, out, sums, n);
    finish();
}
void k_nbody(const float *pos, float *acc, int n) {
    launch("nbody", {size_t(n) / 256}, {256}, pos, acc, n);
    finish();
}
void k_mandel(int *out, int w, int h, int maxit) {
    launch("mandel", {groups(w, 32), groups(h, 8)}, {32, 8}, out, w, h, maxit);
    finish();
}
void k_bs(const float *S, const float *X, const float *T, float *call, float *put, int n) {
    launch("blackscholes", {groups(n, 256)}, {256}, S, X, T, call, put, n);
    finish();
}
void k_hist(const unsigned *in, unsigned *bins, int nwords) {
    launch("hist", {256}, {256}, in, bins, nwords);
    finish();
}
void k_jacobi(const float *in, float *out, int w, int h) {
    launch("jacobi", {groups(w, 32), groups(h, 8)}, {32, 8}, in, out, w, h);
    finish();
}
void k_transpose(const float *in, float *out, int w, int h) {
    launch("transpose", {size_t(w) / 32, size_t(h) / 32}, {32, 8}, in, out, w, h);
    finish();
}
void k_bitonic(int *d, int n) {
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j; j /= 2) launch("bitonic", {size_t(n) / 256}, {256}, d, j, k);
    finish();
}
void k_spmv(const int *rp, const int *ci, const float *v, const float *x, float *y, int n, int) {
    launch("spmv", {groups(n, 256)}, {256}, rp, ci, v, x, y, n);
    finish();
}
}
