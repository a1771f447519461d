// A test in areas: each ends with `NAME ok`, or with a line for each thing that is wrong and `NAME wrong`.
#pragma once
#include <cstdio>

static bool area_ok = true;
static inline void area_code(int line, const char *what, int got, int want) {
    if (got != want) area_ok = false, printf("%d: %s: %d, not %d\n", line, what, got, want);
}
static inline void area_end(const char *name) {
    printf("%s %s\n", name, area_ok ? "ok" : "wrong");
    area_ok = true;
}
// The code of a call, and that of a function of the driver with its arguments.
#define IS(want, ...) area_code(__LINE__, #__VA_ARGS__, int(__VA_ARGS__), int(want))
#define OK(...) IS(0, __VA_ARGS__)
#define DIS(want, f, ...) area_code(__LINE__, #f, int(DRV(f)(__VA_ARGS__)), int(want))
#define DOK(f, ...) DIS(0, f, __VA_ARGS__)
#define RIGHT(...)                                                                          \
    do {                                                                                    \
        if (!(__VA_ARGS__)) area_ok = false, printf("%d: not " #__VA_ARGS__ "\n", __LINE__); \
    } while (0)
