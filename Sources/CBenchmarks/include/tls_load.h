// Many TLS connections to one HTTP/1.1 server, driven by one thread: enough of a client to keep a server busy, and too little to be in its way.
#ifndef SLUICE_TLS_LOAD_H
#define SLUICE_TLS_LOAD_H

#include <stddef.h>
#include <stdint.h>

/// Whole requests, head and body. In each, every run of 36 question marks is replaced by a name that no request before it had.
struct sluice_bench_requests {
    const uint8_t *const *bytes;
    const size_t *byte_counts;
    int count;
};

/// What came of a run. An answer counts where its status is 200 and no record in it was refused; the first other one ends the run and stands
/// in `fault`, without a terminating text if there was none.
struct sluice_bench_answers {
    int64_t count;
    int64_t body_bytes;
    double seconds;
    double median_milliseconds;
    double slowest_milliseconds;
    char fault[512];
};

/// Open connections; opaque.
struct sluice_bench_connections;

/// Opens `count` connections to 127.0.0.1, whose certificate must come from an authority in the PEM file. NULL with `fault` where one cannot be.
struct sluice_bench_connections *sluice_bench_connect(int port, const char *authorities, int count, char fault[512]);
void sluice_bench_disconnect(struct sluice_bench_connections *connections);

/// Keeps every connection busy for `seconds`, and waits for what is under way then. With `in_turn` they share one list that is gone through again
/// and again; without, each has the request of its own number. `first_name` counts up with each name given out.
void sluice_bench_load(
    struct sluice_bench_connections *connections, const struct sluice_bench_requests *requests, int in_turn, double seconds, uint64_t *first_name,
    struct sluice_bench_answers *answers);

/// Sends the first request on all connections but the last, and returns without an answer.
void sluice_bench_wait(struct sluice_bench_connections *connections, const struct sluice_bench_requests *requests, struct sluice_bench_answers *answers);
/// Sends the request on the last connection and waits until it and all others are answered, a minute at most.
/// `milliseconds` gets the time of each of the others, from the sending of this one, in the order of arrival.
void sluice_bench_wake(
    struct sluice_bench_connections *connections, const struct sluice_bench_requests *requests, uint64_t *first_name, double *milliseconds,
    struct sluice_bench_answers *answers);

#endif
