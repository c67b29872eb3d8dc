// POSIX names that Swift 6 cannot reach: variadic functions and mutable globals.
#ifndef SLUICE_SHIMS_SYSTEM_H
#define SLUICE_SHIMS_SYSTEM_H

#include <sys/types.h>

// open(2) with its optional third argument.
int sluice_open(const char *path, int flags, mode_t mode);

// The type number of the file system that holds `path` (statfs(2)); -1 where it cannot be told.
long sluice_file_system_type(const char *path);

// Whether the kernel's clock follows nothing (adjtimex(2), STA_UNSYNC): 1 or 0; -1 where it cannot be told.
int sluice_clock_is_unsynchronized(void);

// A descriptor by which one thread wakes another that is in poll(2) (eventfd(2)): closed at exec, never blocking; -1 with errno where there is none.
int sluice_wake_descriptor(void);

#endif
