// Calls that LLVM's instrumentation makes, and GCC's runtime calls by their own names.
#include <cstring>

extern "C" {
void *__tsan_memcpy(void *to, const void *from, size_t bytes) { return memcpy(to, from, bytes); }
void *__tsan_memmove(void *to, const void *from, size_t bytes) { return memmove(to, from, bytes); }
void *__tsan_memset(void *to, int value, size_t bytes) { return memset(to, value, bytes); }
}
