#include "shims_system.h"
#include <fcntl.h>
#include <sys/vfs.h>

int sluice_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

long sluice_file_system_type(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (long)status.f_type : -1;
}
