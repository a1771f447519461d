// linker LIBRARY OUTPUT: links two modules with that libnvJitLink and writes the cubin.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
static const char user[] = HEAD
    ".extern .func (.param .b32 r) f();\n.visible .entry answer(.param .u64 out) {\n"
    " .reg .b32 %r; .reg .b64 %p; .param .b32 a; call (a), f; ld.param.b32 %r, [a];\n"
    " ld.param.u64 %p, [out]; st.global.u32 [%p], %r; ret;\n}\n";
static const char function[] = HEAD ".visible .func (.param .b32 r) f() { st.param.b32 [r], 42; ret; }\n";

typedef void *Handle;
static void *library;

static void *find(const char *name) {
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s is not there\n", name);
        exit(1);
    }
    return found;
}

static void must(int code, const char *what) {
    if (code) {
        fprintf(stderr, "%s: %d\n", what, code);
        exit(1);
    }
}

int main(int argc, char **argv) {
    const char *options[] = {"-arch=sm_90", "-O3", "-verbose"};
    Handle handle, broken;
    size_t size;
    unsigned major, minor;
    if (argc != 3 || !(library = dlopen(argv[1], RTLD_NOW))) return fprintf(stderr, "%s\n", dlerror()), 2;
    // The names that the header's inline functions call.
    int twelve = strstr(argv[1], ".so.12") != NULL;
    int (*create)(Handle *, unsigned, const char **) = find(twelve ? "__nvJitLinkCreate_12_4" : "__nvJitLinkCreate_13_0");
    int (*add)(Handle, int, const void *, size_t, const char *) = find("nvJitLinkAddData");
    int (*complete)(Handle) = find("nvJitLinkComplete");
    int (*cubin_size)(Handle, size_t *) = find("nvJitLinkGetLinkedCubinSize");
    int (*cubin)(Handle, void *) = find("nvJitLinkGetLinkedCubin");
    int (*info_size)(Handle, size_t *) = find("nvJitLinkGetInfoLogSize");
    int (*info)(Handle, char *) = find("nvJitLinkGetInfoLog");
    int (*error_size)(Handle, size_t *) = find("nvJitLinkGetErrorLogSize");
    int (*error)(Handle, char *) = find("nvJitLinkGetErrorLog");
    int (*destroy)(Handle *) = find("nvJitLinkDestroy");
    int (*version)(unsigned *, unsigned *) = find("nvJitLinkVersion");
    must(version(&major, &minor), "version");
    must(create(&handle, 3, options), "create");
    must(add(handle, 2, user, sizeof user, "user"), "add");
    must(add(handle, 10, function, sizeof function - 1, NULL), "add any");
    must(complete(handle), "complete");
    must(info_size(handle, &size), "info size");
    char *log = malloc(size);
    must(info(handle, log), "info");
    if (!strstr(log, "Compiling entry function 'answer' for 'sm_90'")) return fprintf(stderr, "info log: %s\n", log), 1;
    must(cubin_size(handle, &size), "size");
    char *image = malloc(size);
    must(cubin(handle, image), "cubin");
    FILE *file = fopen(argv[2], "wb");
    if (!file || fwrite(image, 1, size, file) != size || fclose(file)) return 1;
    must(destroy(&handle), "destroy");
    // What is missing is told.
    must(create(&broken, 1, options), "create");
    must(add(broken, 2, user, sizeof user, "user"), "add");
    if (complete(broken) == 0) return fprintf(stderr, "linked without f\n"), 1;
    must(error_size(broken, &size), "error size");
    log = realloc(log, size);
    must(error(broken, log), "error");
    if (!strstr(log, "Undefined reference to 'f' in 'user'")) return fprintf(stderr, "error log: %s\n", log), 1;
    must(destroy(&broken), "destroy");
    return 0;
}
