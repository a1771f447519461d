// The tools' event queue of this very process, as drivers since 565 have it: what it tells of blocks that go to the device
// and back. Prints numbers of events; for moves also whence, whither and how many bytes. With an argument: entries of the
// second version (72 bytes, indices of 16 bits, GPU 1 would be processor 9), else of the first (64 bytes).
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

int main(int argc, char **) {
    const bool second = argc > 1;
    const size_t size = second ? 72 : 64, where = second ? 16 : 8;
    unsigned *p;
    CHECK(cudaMallocManaged(&p, blocks * 65536));
    auto *queue = (uint8_t *)shared(entries * 72);
    auto *control = (Control *)shared(4096);
    auto *table = (uint8_t *)shared(8192);
    int tools = open("/dev/nvidia-uvm-tools", O_RDWR);
    if (tools < 0) return perror("/dev/nvidia-uvm-tools"), 1;
    Tracker tracker{};
    tracker.queue = (uint64_t)queue, tracker.size = entries, tracker.control = (uint64_t)control;
    tracker.all = 1;
    // The descriptor by which the driver talks to nvidia-uvm: the only one that is taken.
    for (tracker.uvm = 3, tracker.status = 1; tracker.uvm < 64 && tracker.status; tracker.uvm += tracker.status != 0)
        if (ioctl(tools, second ? 76 : 56, &tracker)) return perror("tracker"), 1;
    if (tracker.status) return printf("tracker: %x\n", tracker.status), 1;
    // The table is the UVM file's own: 33 processors, or 257.
    memset(table, 0xff, 8192);
    Table uuids{(uint64_t)table, 0, 0};
    if (ioctl(tracker.uvm, second ? 77 : 64, &uuids) || uuids.status) return printf("table: %x\n", uuids.status), 1;
    if (!ioctl(tools, 64, &uuids)) return printf("the tools file has a table\n"), 1;
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    size_t known = 0, length = 8192;
    while (length && table[length - 1] == 0xff) length--;
    for (size_t i = 0; i < length / 16; i++) known += !!memcmp(table + 16 * i, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    printf("GPU 0 is processor 1: %s, of %zu in %zu\n", memcmp(table + 16, &properties.uuid, 16) ? "no" : "yes", known, length / 16);
    // Another tracker on this file is one too many.
    tracker.status = 0;
    if (ioctl(tools, second ? 76 : 56, &tracker) || tracker.status != 0x1f) return printf("second tracker: %x\n", tracker.status), 1;
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
        const uint8_t *entry = queue + size * at;
        uint64_t word[3];
        memcpy(word, entry + where, sizeof word);
        uint64_t begin = (uint64_t)p, end = begin + blocks * 65536;
        uint16_t wide[2];
        memcpy(wide, entry + 4, sizeof wide);
        unsigned from = second ? wide[0] : entry[2], to = second ? wide[1] : entry[3];
        if (entry[0] == 1) cpu++;
        if (entry[0] == 3) gpu++;
        if (entry[0] != 2) continue;
        // The host's memory is on node 0, the device's on none.
        int32_t node[2] = {0, 0}, want[2] = {from ? -1 : 0, to ? -1 : 0};
        if (second) memcpy(node, entry + 8, sizeof node);
        bool nodes = second ? !memcmp(node, want, sizeof node) : true;
        if (from > 1 || to > 1 || word[0] < begin || word[0] + word[1] > end || word[2] < last || !nodes) {
            odd++;
            continue;
        }
        last = word[2];
        moves[from][to]++;
        bytes[from][to] += word[1];
        causes |= 1u << entry[1];
    }
    printf("CPU faults %u, GPU faults %u, odd %u, dropped %u, causes %x\n", cpu, gpu, odd, (unsigned)control->dropped[2], causes);
    printf("moves to the device %u of %u bytes, back %u of %u\n", moves[0][1], (unsigned)bytes[0][1], moves[1][0], (unsigned)bytes[1][0]);
    printf("wrong %u\n", wrong);
    return 0;
}
