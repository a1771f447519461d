// Memory, events, physical memory and pools between two processes.
// expect: child: waited for the event, sum 4950
// expect: child: same handle, same address
// expect: child: physical memory ok
// expect: child: pool ok
// expect: child exit 0
// expect: parent sees 1100
// expect: own handle: 201
// expect: pool pointer: 1
#include "check.cuh"
#include "driver.cuh"
#include <cstring>
#include <spawn.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct Message {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t ready, done;
    cudaMemPoolPtrExportData pooled;
};

__global__ void slow_fill(int *p, long long spin) {
    long long start = clock64();
    while (clock64() - start < spin) {}
    p[threadIdx.x] = threadIdx.x;
}
__global__ void change(int *p) { p[threadIdx.x] += 11 * threadIdx.x; }

static void send(int socket, const Message &m, const int (&fds)[2]) {
    iovec part = {(void *)&m, sizeof m};
    char control[CMSG_SPACE(sizeof fds)] = {};
    msghdr head = {};
    head.msg_iov = &part, head.msg_iovlen = 1, head.msg_control = control, head.msg_controllen = sizeof control;
    cmsghdr *c = CMSG_FIRSTHDR(&head);
    c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof fds);
    memcpy(CMSG_DATA(c), fds, sizeof fds);
    if (sendmsg(socket, &head, 0) < 0) perror("sendmsg"), exit(1);
}
static Message receive(int socket, int (&fds)[2]) {
    Message m;
    iovec part = {&m, sizeof m};
    char control[CMSG_SPACE(sizeof fds)] = {};
    msghdr head = {};
    head.msg_iov = &part, head.msg_iovlen = 1, head.msg_control = control, head.msg_controllen = sizeof control;
    if (recvmsg(socket, &head, 0) != ssize_t(sizeof m)) exit(1);
    memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&head)), sizeof fds);
    return m;
}

static int child(int socket) {
    int fds[2];
    Message m = receive(socket, fds);
    int *p, *again;
    cudaEvent_t ready, done;
    CHECK(cudaIpcOpenMemHandle((void **)&p, m.memory, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenMemHandle((void **)&again, m.memory, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenEventHandle(&ready, m.ready));
    CHECK(cudaIpcOpenEventHandle(&done, m.done));
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamWaitEvent(s, ready));
    std::vector<int> host(100);
    CHECK(cudaMemcpyAsync(host.data(), p, 400, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    int sum = 0;
    for (int v : host) sum += v;
    printf("child: waited for the event, sum %d\n", sum);
    // The form without the flag that lets it reach other devices.
    auto older = (decltype(DRV(cuIpcOpenMemHandle)))driver_symbol("cuIpcOpenMemHandle");
    CUdeviceptr third = 0;
    CUipcMemHandle same;
    memcpy(&same, &m.memory, sizeof same);
    CUresult opened = older(&third, same, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    if (!opened) CHECK(cudaIpcCloseMemHandle((void *)third));
    bool alike = p == again && !opened && third == (CUdeviceptr)p;
    printf("child: %s\n", alike ? "same handle, same address" : "not one address");
    change<<<1, 100, 0, s>>>(p);
    CHECK(cudaEventRecord(done, s));
    CHECK(cudaEventSynchronize(done));
    CHECK(cudaIpcCloseMemHandle(p));
    CHECK(cudaIpcCloseMemHandle(again));
    if (cudaIpcCloseMemHandle(p) != cudaErrorInvalidValue) puts("closed too often");
    cudaGetLastError();

    CUmemGenericAllocationHandle physical;
    DCHECK(cuMemImportFromShareableHandle, &physical, (void *)(intptr_t)fds[0], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    CUdeviceptr va;
    DCHECK(cuMemAddressReserve, &va, 2 << 20, 0, 0, 0);
    DCHECK(cuMemMap, va, 2 << 20, 0, physical, 0);
    CUmemAccessDesc rw = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    DCHECK(cuMemSetAccess, va, 2 << 20, &rw, 1);
    int word = 0;
    CHECK(cudaMemcpy(&word, (void *)(va + 4096), 4, cudaMemcpyDeviceToHost));
    printf("child: physical memory %s\n", word == 0x5a5a5a5a ? "ok" : "wrong");

    cudaMemPool_t pool;
    CHECK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fds[1], cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK(cudaMemPoolImportPointer((void **)&p, pool, &m.pooled));
    CHECK(cudaMemcpy(&word, p, 4, cudaMemcpyDeviceToHost));
    void *none;
    bool refused = cudaMallocFromPoolAsync(&none, 64, pool, s) == cudaErrorInvalidValue;
    cudaGetLastError();
    CHECK(cudaFreeAsync(p, s));
    CHECK(cudaStreamSynchronize(s));
    printf("child: pool %s\n", word == 0x3c3c3c3c && refused ? "ok" : "wrong");
    return 0;
}

int main(int argc, char **argv) {
    setbuf(stdout, nullptr);
    if (argc > 1) return child(atoi(argv[1]));
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)) return 1;
    std::string number = std::to_string(pair[1]);
    char *arguments[] = {argv[0], &number[0], nullptr};
    pid_t pid;
    if (posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, arguments, environ)) return 1;
    close(pair[1]);

    Message m;
    int *p, *q, fds[2];
    CHECK(cudaMalloc(&p, 400));
    cudaEvent_t ready, done;
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventInterprocess | cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventInterprocess | cudaEventDisableTiming));
    slow_fill<<<1, 100>>>(p, 100000000);
    CHECK(cudaIpcGetMemHandle(&m.memory, p));
    CHECK(cudaIpcGetEventHandle(&m.ready, ready));
    CHECK(cudaIpcGetEventHandle(&m.done, done));

    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CUmemGenericAllocationHandle physical;
    CUdeviceptr va;
    DCHECK(cuMemCreate, &physical, 2 << 20, &prop, 0);
    DCHECK(cuMemAddressReserve, &va, 2 << 20, 0, 0, 0);
    DCHECK(cuMemMap, va, 2 << 20, 0, physical, 0);
    CUmemAccessDesc rw = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    DCHECK(cuMemSetAccess, va, 2 << 20, &rw, 1);
    CHECK(cudaMemset((void *)va, 0x5a, 2 << 20));
    DCHECK(cuMemExportToShareableHandle, &fds[0], physical, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);

    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    props.location = {cudaMemLocationTypeDevice, 0};
    cudaMemPool_t pool;
    CHECK(cudaMemPoolCreate(&pool, &props));
    CHECK(cudaMallocFromPoolAsync((void **)&q, 4096, pool, 0));
    CHECK(cudaMemsetAsync(q, 0x3c, 4096, 0));
    CHECK(cudaMemPoolExportToShareableHandle(&fds[1], pool, cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK(cudaMemPoolExportPointer(&m.pooled, q));
    // After all that the child reads.
    CHECK(cudaEventRecord(ready));
    send(pair[0], m, fds);
    int status;
    waitpid(pid, &status, 0);
    printf("child exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    CHECK(cudaEventSynchronize(done));
    std::vector<int> host(100);
    CHECK(cudaMemcpy(host.data(), p, 400, cudaMemcpyDeviceToHost));
    printf("parent sees %d\n", host[99] - 88 + 0 * host[0]);
    printf("own handle: %d\n", int(cudaIpcOpenMemHandle((void **)&q, m.memory, cudaIpcMemLazyEnablePeerAccess)));
    printf("pool pointer: %d\n", int(cudaMemPoolExportPointer(&m.pooled, p)));
}
