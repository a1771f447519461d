// A program that runs for long runs good code: before anything is timed, kernels are launched until the driver has nothing
// left to compile. Its compiler threads are called "cuda-compile" and end when there is nothing to do.
#pragma once
#include <chrono>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <string>
#include <thread>

// Whether some thread of this process compiles kernels.
static inline bool is_compiling() {
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return false;
    bool found = false;
    while (dirent *task = readdir(tasks)) {
        char name[32] = "";
        FILE *file = fopen((std::string("/proc/self/task/") + task->d_name + "/comm").c_str(), "r");
        if (!file) continue;
        if (fgets(name, sizeof name, file) && !strncmp(name, "cuda-compile", 12)) found = true;
        fclose(file);
    }
    closedir(tasks);
    return found;
}

// Works until nothing is compiled any more; seconds that took. A thread has its name a moment after it starts.
template <class Work> static double settle(Work work) {
    const double most = 60;
    auto now = [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); };
    double start = now(), last = start;
    for (int quiet = 0; quiet < 3 && last - start < most; quiet++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        while (is_compiling() && (last = now()) - start < most) work(), quiet = 0;
    }
    return last - start;
}
