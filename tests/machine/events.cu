// The tools' event queue of this very process (drivers since 560: entries of 64 bytes): what it tells of blocks that go to the
// device and back. Prints numbers of events; for moves also whence, whither and how many bytes.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t error = (call);                                                                  \
        if (error != cudaSuccess) return printf("%s: %s\n", #call, cudaGetErrorName(error)), 1;      \
    } while (0)

__global__ void touch(unsigned *p, int blocks) {
    for (int i = 0; i < blocks; i++) p[i * 16384] += 1;
}

static const int blocks = 8, entries = 256;

struct Control {
    volatile uint32_t get_ahead, get_behind, put_ahead, put_behind;
    volatile uint64_t dropped[64];
};
struct Tracker {
    uint64_t queue, size, control;
    uint8_t processor[16];
    uint32_t all, uvm, status, pad;
};
struct Events {
    uint64_t flags;
    uint32_t status, pad;
};
struct Table {
    uint64_t table;
    uint32_t status, pad;
};

static void *shared(size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

int main() {
    unsigned *p;
    CHECK(cudaMallocManaged(&p, blocks * 65536));
    auto *queue = (uint8_t *)shared(entries * 64);
    auto *control = (Control *)shared(4096);
    auto *table = (uint8_t *)shared(4096);
    int tools = open("/dev/nvidia-uvm-tools", O_RDWR);
    if (tools < 0) return perror("/dev/nvidia-uvm-tools"), 1;
    Table uuids{(uint64_t)table, 0, 0};
    if (ioctl(tools, 64, &uuids) || uuids.status) return printf("table: %x\n", uuids.status), 1;
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    printf("GPU 0 is processor 1: %s\n", memcmp(table + 16, &properties.uuid, 16) ? "no" : "yes");
    Tracker tracker{};
    tracker.queue = (uint64_t)queue, tracker.size = entries, tracker.control = (uint64_t)control;
    tracker.all = 1;
    // The descriptor by which the driver talks to nvidia-uvm: the only one that is taken.
    for (tracker.uvm = 3, tracker.status = 1; tracker.uvm < 64 && tracker.status; tracker.uvm += tracker.status != 0)
        if (ioctl(tools, 56, &tracker)) return perror("tracker"), 1;
    if (tracker.status) return printf("tracker: %x\n", tracker.status), 1;
    Events wanted{1 << 1 | 1 << 2 | 1 << 3, 0, 0};
    if (ioctl(tools, 58, &wanted) || wanted.status) return printf("events: %x\n", wanted.status), 1;

    for (int i = 0; i < blocks; i++) p[i * 16384] = i;
    touch<<<1, 1>>>(p, blocks);
    CHECK(cudaDeviceSynchronize());
    unsigned wrong = 0;
    for (int i = 0; i < blocks; i++) wrong += p[i * 16384] != i + 1;

    unsigned cpu = 0, gpu = 0, moves[2][2] = {}, odd = 0, causes = 0;
    uint64_t bytes[2][2] = {}, last = 0;
    for (uint32_t at = control->get_behind; at != control->put_behind; at = (at + 1) % entries) {
        const uint8_t *entry = queue + 64 * at;
        uint64_t word[8];
        memcpy(word, entry, 64);
        uint64_t from = (uint64_t)p, end = from + blocks * 65536;
        if (entry[0] == 1) cpu++;
        if (entry[0] == 3) gpu++;
        if (entry[0] != 2) continue;
        if (entry[2] > 1 || entry[3] > 1 || word[1] < from || word[1] + word[2] > end || word[3] < last) {
            odd++;
            continue;
        }
        last = word[3];
        moves[entry[2]][entry[3]]++;
        bytes[entry[2]][entry[3]] += word[2];
        causes |= 1u << entry[1];
    }
    printf("CPU faults %u, GPU faults %u, odd %u, dropped %u, causes %x\n", cpu, gpu, odd, (unsigned)control->dropped[2], causes);
    printf("moves to the device %u of %u bytes, back %u of %u\n", moves[0][1], (unsigned)bytes[0][1], moves[1][0], (unsigned)bytes[1][0]);
    printf("wrong %u\n", wrong);
    return 0;
}
