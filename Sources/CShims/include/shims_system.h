// POSIX names that Swift 6 cannot reach: variadic functions and mutable globals.
#ifndef SLUICE_SHIMS_SYSTEM_H
#define SLUICE_SHIMS_SYSTEM_H

#include <sys/types.h>

// open(2) with its optional third argument.
int sluice_open(const char *path, int flags, mode_t mode);

// The type number of the file system that holds `path` (statfs(2)); -1 where it cannot be told.
long sluice_file_system_type(const char *path);

#endif
