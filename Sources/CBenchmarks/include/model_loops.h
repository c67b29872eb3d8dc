// What a C programmer would write for the rows that `sluice-bench models` measures: the yardstick, in the same process and run.
#ifndef SLUICE_MODEL_LOOPS_H
#define SLUICE_MODEL_LOOPS_H

#include <stdint.h>

/// Makes a store with the table of the benchmark's model and inserts `count` rows in one durable transaction. The row of number n has the UUID that
/// `sluice_bench_uuid` makes of n. Returns an SQLite result code.
int sluice_bench_insert(const char *path, int64_t count);

/// Reads every row into an array of structs and adds up what it read. Returns an SQLite result code.
int sluice_bench_fetch(const char *path, int64_t *rows, int64_t *checksum);

/// Reads two columns of every row the same way.
int sluice_bench_fetch_values(const char *path, int64_t *rows, int64_t *checksum);

/// Runs one statement and gives the first column of its first row.
int sluice_bench_statement(const char *path, const char *sql, int64_t *result);

/// 16 bytes that look random and depend on `number` alone.
void sluice_bench_uuid(uint64_t number, uint8_t *bytes);

/// The same as text of 36 characters, in the form of a UUID, and a terminating null.
void sluice_bench_name(uint64_t number, char *text);

/// Gives the memory that nobody uses back to the system (malloc_trim(3)).
void sluice_bench_trim(void);

#endif
