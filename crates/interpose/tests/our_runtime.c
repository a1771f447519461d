/* Stands for our libcudart.so.13: answers 100 and more, and says what it was passed. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

int cudaMalloc(void **p, size_t n) { printf("ours cudaMalloc %d %zu\n", p != NULL, n); return 100; }
int cudaMemcpy(void *to, const void *from, size_t n, int kind) {
    printf("ours cudaMemcpy %d %s %zu %d\n", to != NULL, (const char *)from, n, kind);
    return 200;
}
int cudaGetLastError(void) {
    static int calls;
    printf("ours cudaGetLastError, call %d of this runtime\n", ++calls);
    return 300;
}
int cudaLogsCurrent(unsigned *iterator, unsigned flags) {
    printf("ours cudaLogsCurrent %d %u\n", iterator != NULL, flags);
    return 400;
}
void **__cudaRegisterFatBinary(void *image) { printf("ours register %d\n", image != NULL); return NULL; }
int cudaRuntimeGetVersion(int *version) {
    static int known;
    const char *minor = getenv("ANTLERITE_RUNTIME_MINOR");
    if (!known) known = 13000 + 10 * (minor ? atoi(minor) : 0);
    *version = known;
    return 0;
}
