// Group commit as a C programmer would write it: the yardstick of `sluice-bench service` and `sluice-bench sync`, in the same run.
#ifndef SLUICE_GROUP_COMMIT_H
#define SLUICE_GROUP_COMMIT_H

#include <stdint.h>

/// `width` threads hand one row each to one that commits what waits, and wait until it is on disk; for `seconds`.
/// A row has 36 characters of a name, by which it is unique, and `byte_count` bytes. Returns an SQLite result code.
int sluice_bench_group_commit(const char *path, int width, double seconds, int byte_count, int64_t *rows);

/// What pushing `count` rows in batches asks of two disks, without a network: a batch is frozen in one file and committed, its rows go one by one
/// into a table in the other and are committed, and the batch is struck off in the first and committed. Returns an SQLite result code.
int sluice_bench_push(const char *device_path, const char *service_path, int64_t count, int batch_count, int byte_count);

#endif
