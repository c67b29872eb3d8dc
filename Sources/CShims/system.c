#include "shims_system.h"
#include <fcntl.h>

int sluice_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
