/* Stands for a static runtime: some functions of CUDA 13's, which say that they were not
 * redirected. With -DSHORT the entries are as short as functions get. */
#include <stddef.h>
#include <stdio.h>

#define FUNCTION __attribute__((noinline, visibility("hidden"), aligned(16)))

FUNCTION int cudaMalloc(void **p, size_t n) { (void)p; (void)n; puts("static cudaMalloc"); return 1; }
FUNCTION int cudaGetLastError(void) { puts("static cudaGetLastError"); return 1; }
FUNCTION int cudaMemcpy(void *to, const void *from, size_t n, int kind) {
    (void)to; (void)from; (void)n; (void)kind;
    puts("static cudaMemcpy");
    return 1;
}
FUNCTION void **__cudaRegisterFatBinary(void *image) { (void)image; puts("static register"); return NULL; }
FUNCTION int cudaRuntimeGetVersion(int *version) { *version = 1; return 1; }
/* Three bytes, as the shortest function of the real one. */
__asm__(".text\n.p2align 4\n.hidden cudaLogsCurrent\n.globl cudaLogsCurrent\n"
        ".type cudaLogsCurrent, @function\ncudaLogsCurrent:\n\txorl %eax, %eax\n\tret\n"
        ".size cudaLogsCurrent, 3\n.p2align 4\n");
int cudaLogsCurrent(unsigned *, unsigned);
/* Not of the runtime, for all its name. */
FUNCTION int cudaMine(void) { puts("own cudaMine"); return 5; }

static void __attribute__((constructor)) before_main(void) { __cudaRegisterFatBinary(NULL); }

__attribute__((visibility("default"))) int use_runtime(void) {
    void *p = NULL;
    unsigned iterator = 0;
    int version = 0;
    int sum = cudaMalloc(&p, 123) + cudaMemcpy(p, "x", 1, 2) + cudaGetLastError();
    sum += cudaLogsCurrent(&iterator, 4);
    cudaRuntimeGetVersion(&version);
    printf("sum %d mine %d version %d\n", sum, cudaMine(), version);
    return sum;
}
