#include "shims_system.h"
#include <sys/eventfd.h>
#include <fcntl.h>
#include <sys/timex.h>
#include <sys/vfs.h>

int sluice_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

long sluice_file_system_type(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (long)status.f_type : -1;
}

int sluice_clock_is_unsynchronized(void) {
    struct timex state = {.modes = 0};
    int code = adjtimex(&state);
    if (code < 0) return -1;
    return code == TIME_ERROR || (state.status & STA_UNSYNC) ? 1 : 0;
}

int sluice_wake_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
