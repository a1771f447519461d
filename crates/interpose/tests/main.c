/* Uses the static runtime in the program, in threads, after fork, or in a library it opens. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int use_runtime(void) __attribute__((weak));

static void *thread(void *unused) { return use_runtime() == 1000 ? unused : (void *)1; }

int main(int count, char **words) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count > 1 && !strcmp(words[1], "open")) {
        void *library = dlopen(words[2], RTLD_NOW);
        if (!library) { puts(dlerror()); return 2; }
        int (*use)(void) = (int (*)(void))dlsym(library, "use_runtime");
        if (use_runtime && use_runtime() != 1000) return 3;
        return use() != 1000;
    }
    if (count > 1 && !strcmp(words[1], "threads")) {
        pthread_t threads[8];
        void *answer;
        int wrong = 0;
        for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, thread, NULL);
        for (int i = 0; i < 8; i++) { pthread_join(threads[i], &answer); wrong += answer != NULL; }
        return wrong;
    }
    if (count > 1 && !strcmp(words[1], "fork")) {
        int status = 0;
        fflush(stdout);
        if (fork() == 0) { execl(words[0], words[0], NULL); _exit(9); }
        wait(&status);
        return status != 0;
    }
    return use_runtime() != 1000;
}
