// Linking by cuLinkCreate and its kin. Modules that need each other, inputs of several forms, options and logs.
// expect: linked: 0
// expect: cubin of ours: yes
// expect: f(20) + v = 47
// expect: cubin and PTX: 0, again 47
// expect: verbose: Compiling entry function 'k' for 'sm_90'
// expect: wall time: yes
// expect: undefined: 218, error   : Undefined reference to 'f' in 'user'
// expect: twice: 218, error   : Multiple definition of 'v' in 'two', first defined in 'one'
// expect: bad: 218, ptxas application bad, line 5; error   : Unknown symbol 'gone'
// expect: NVVM: 801
// expect: no such type: 1
// expect: optimisation level 9: 1
// expect: unresolved in a module: 218, ptxas fatal   : Unresolved extern function 'f'
// expect: a variable of the caller's: 0, 42
// expect: no such variable: 1
// expect: not for a link: 801
// expect: destroyed: 400
#include "check.cuh"
#include <cstring>
#include <cuda.h>

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
static const char user[] = HEAD
    ".extern .func (.param .b32 r) f(.param .b32 x);\n.extern .global .align 4 .u32 v;\n"
    ".visible .entry k(.param .u64 out) {\n .reg .b32 %r<4>; .reg .b64 %p; .param .b32 a; .param .b32 b;\n"
    " ld.param.u64 %p, [out]; mov.u32 %r1, 20; st.param.b32 [a], %r1;\n call (b), f, (a);\n"
    " ld.param.b32 %r1, [b]; ld.global.u32 %r2, [v]; add.u32 %r3, %r1, %r2; st.global.u32 [%p], %r3; ret;\n}\n";
static const char one[] = HEAD ".visible .global .align 4 .u32 v = 7;\n";
static const char two[] = HEAD ".visible .global .align 4 .u32 v = 8;\n";
static const char two_times[] = HEAD ".visible .func (.param .b32 r) f(.param .b32 x) {\n .reg .b32 %r<3>;\n"
    " ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret;\n}\n";
static const char reader[] = HEAD ".extern .global .align 4 .u32 v;\n.visible .entry k(.param .u64 out) {\n"
    " .reg .b32 %r; .reg .b64 %p; ld.param.u64 %p, [out]; ld.global.u32 %r, [v]; add.u32 %r, %r, 1;\n"
    " st.global.u32 [%p], %r; ret;\n}\n";
static const char bad[] = HEAD ".visible .entry k() {\n bra gone;\n}\n";

template <typename F> F entry(const char *name) {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
    return (F)found;
}
#define ENTRY(name) static auto p_##name = entry<decltype(&name)>(#name)

static char info[4096], error[4096];

// Options with both logs.
struct Options {
    CUjit_option names[6] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
                             CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_LOG_VERBOSE, CU_JIT_WALL_TIME};
    void *values[6] = {info, (void *)sizeof info, error, (void *)sizeof error, (void *)1, nullptr};
};

static const char *first_line(char *text) {
    if (char *end = strchr(text, '\n')) *end = 0;
    return text;
}

int main() {
    CHECK(cudaFree(nullptr));
    ENTRY(cuLinkCreate);
    ENTRY(cuLinkAddData);
    ENTRY(cuLinkComplete);
    ENTRY(cuLinkDestroy);
    ENTRY(cuModuleLoadDataEx);
    ENTRY(cuModuleGetFunction);
    ENTRY(cuLaunchKernel);
    unsigned *device, host;
    CHECK(cudaMalloc(&device, sizeof *device));
    auto run = [&](const void *image) {
        CUmodule module;
        CUfunction function;
        void *args[] = {&device};
        if (p_cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr)) return -1;
        if (p_cuModuleGetFunction(&function, module, "k")) return -2;
        if (p_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr)) return -3;
        CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
        return int(host);
    };
    // Adds until one fails, completes; the first failure.
    struct Input { CUjitInputType type; const void *data; size_t size; const char *name; };
    CUlinkState state;
    void *image;
    size_t bytes;
    Options options;
    auto link = [&](std::initializer_list<Input> inputs) {
        options = Options();
        int result = p_cuLinkCreate(6, options.names, options.values, &state);
        for (const Input &input : inputs)
            if (!result) result = p_cuLinkAddData(state, input.type, (void *)input.data, input.size, input.name, 0, nullptr, nullptr);
        return result ? result : int(p_cuLinkComplete(state, &image, &bytes));
    };
    auto ptx = [](const char *text, const char *name) { return Input{CU_JIT_INPUT_PTX, text, strlen(text) + 1, name}; };

    printf("linked: %d\n", link({ptx(user, "user"), ptx(one, "one"), ptx(two_times, "f")}));
    printf("cubin of ours: %s\n", bytes > 64 && !memcmp(image, "\177ELF", 4) && ((unsigned char *)image)[7] == 0xa7 ? "yes" : "no");
    printf("f(20) + v = %d\n", run(image));
    char *compiling = strstr(info, "Compiling");
    float milliseconds;
    memcpy(&milliseconds, &options.values[5], sizeof milliseconds);
    char saved[200] = "";
    if (compiling) strncpy(saved, first_line(compiling), sizeof saved - 1);
    char *copy = (char *)malloc(bytes);
    memcpy(copy, image, bytes);
    size_t copied = bytes;
    p_cuLinkDestroy(state);
    int again = link({Input{CU_JIT_INPUT_CUBIN, copy, copied, "whole"}, ptx(HEAD ".visible .entry other() { ret; }\n", "other")});
    printf("cubin and PTX: %d, again %d\n", again, run(image));
    printf("verbose: %s\n", saved);
    printf("wall time: %s\n", milliseconds > 0 && milliseconds < 60000 ? "yes" : "no");
    p_cuLinkDestroy(state);

    int result = link({ptx(user, "user"), ptx(one, "one")});
    printf("undefined: %d, %s\n", result, first_line(error));
    p_cuLinkDestroy(state);
    result = link({ptx(one, "one"), ptx(two, "two")});
    printf("twice: %d, %s\n", result, first_line(error));
    p_cuLinkDestroy(state);
    result = link({ptx(bad, "bad")});
    printf("bad: %d, %s\n", result, first_line(error));
    printf("NVVM: %d\n", int(p_cuLinkAddData(state, CU_JIT_INPUT_NVVM, (void *)one, sizeof one, "x", 0, nullptr, nullptr)));
    printf("no such type: %d\n", int(p_cuLinkAddData(state, (CUjitInputType)77, (void *)one, sizeof one, "x", 0, nullptr, nullptr)));
    p_cuLinkDestroy(state);
    CUjit_option level[] = {CU_JIT_OPTIMIZATION_LEVEL};
    void *nine[] = {(void *)9};
    printf("optimisation level 9: %d\n", int(p_cuLinkCreate(1, level, nine, &state)));
    CUmodule module;
    options = Options();
    result = p_cuModuleLoadDataEx(&module, user, 6, options.names, options.values);
    printf("unresolved in a module: %d, %s\n", result, first_line(error));
    // The caller's own memory stands for a variable that nothing defines.
    unsigned *value, forty_one = 41;
    CHECK(cudaMalloc(&value, sizeof *value));
    CHECK(cudaMemcpy(value, &forty_one, sizeof forty_one, cudaMemcpyHostToDevice));
    const char *symbols[] = {"v"}, *others[] = {"w"};
    void *addresses[] = {value};
    CUjit_option names[] = {CU_JIT_GLOBAL_SYMBOL_NAMES, CU_JIT_GLOBAL_SYMBOL_ADDRESSES, CU_JIT_GLOBAL_SYMBOL_COUNT};
    void *values[] = {symbols, addresses, (void *)1};
    CUfunction function;
    void *args[] = {&device};
    result = p_cuModuleLoadDataEx(&module, reader, 3, names, values);
    if (!result) result = p_cuModuleGetFunction(&function, module, "k");
    if (!result) result = p_cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr);
    CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("a variable of the caller's: %d, %u\n", result, host);
    values[0] = others;
    printf("no such variable: %d\n", int(p_cuModuleLoadDataEx(&module, reader, 3, names, values)));
    CUlinkState refused;
    printf("not for a link: %d\n", int(p_cuLinkCreate(3, names, values, &refused)));
    printf("destroyed: %d\n", int(p_cuLinkDestroy(state)));
}
