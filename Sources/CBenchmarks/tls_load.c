#define _GNU_SOURCE
#include "tls_load.h"
#include "model_loops.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct connection {
    int descriptor, is_waiting;
    SSL *tls;
    char *answer;
    size_t byte_count, capacity;
    double sent;
};

struct sluice_bench_connections {
    SSL_CTX *context;
    int epoll, count;
    struct connection *all;
    uint8_t *request;
    size_t request_capacity;
    double *times;
    size_t time_count, time_capacity;
};

static const char *marker = "????????????????????????????????????";

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(char fault[512], const char *text) {
    if (fault[0] != 0) return;
    char detail[256] = "";
    unsigned long code = ERR_get_error();
    if (code != 0) ERR_error_string_n(code, detail, sizeof detail);
    snprintf(fault, 512, "%s%s%s", text, code ? ": " : "", detail);
}

// Connections

static int open_connection(struct sluice_bench_connections *connections, struct connection *connection, int port, char fault[512]) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    connection->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->descriptor < 0 || connect(connection->descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        fail(fault, strerror(errno));
        return 0;
    }
    int on = 1;
    setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection->tls = SSL_new(connections->context);
    if (connection->tls == NULL || SSL_set_fd(connection->tls, connection->descriptor) != 1 || SSL_connect(connection->tls) != 1) {
        fail(fault, "no TLS connection");
        return 0;
    }
    fcntl(connection->descriptor, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(connections->epoll, EPOLL_CTL_ADD, connection->descriptor, &event) != 0) {
        fail(fault, strerror(errno));
        return 0;
    }
    return 1;
}

struct sluice_bench_connections *sluice_bench_connect(int port, const char *authorities, int count, char fault[512]) {
    fault[0] = 0;
    struct sluice_bench_connections *connections = calloc(1, sizeof *connections);
    if (connections == NULL) return NULL;
    connections->epoll = epoll_create1(EPOLL_CLOEXEC);
    connections->context = SSL_CTX_new(TLS_client_method());
    connections->all = calloc((size_t)count, sizeof *connections->all);
    if (connections->context == NULL || connections->all == NULL || SSL_CTX_load_verify_file(connections->context, authorities) != 1) {
        fail(fault, "the authority's certificate cannot be read");
        sluice_bench_disconnect(connections);
        return NULL;
    }
    SSL_CTX_set_verify(connections->context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(connections->context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    for (connections->count = 0; connections->count < count;) {
        connections->count += 1;
        if (!open_connection(connections, &connections->all[connections->count - 1], port, fault)) {
            sluice_bench_disconnect(connections);
            return NULL;
        }
    }
    return connections;
}

void sluice_bench_disconnect(struct sluice_bench_connections *connections) {
    for (int index = 0; index < connections->count; index++) {
        struct connection *connection = &connections->all[index];
        if (connection->tls) SSL_free(connection->tls);
        if (connection->descriptor > 0) close(connection->descriptor);
        free(connection->answer);
    }
    SSL_CTX_free(connections->context);
    if (connections->epoll >= 0) close(connections->epoll);
    free(connections->all);
    free(connections->request);
    free(connections->times);
    free(connections);
}

// Requests

static void send_request(
    struct sluice_bench_connections *connections, struct connection *connection, const uint8_t *bytes, size_t byte_count, uint64_t *next_name,
    char fault[512]) {
    if (byte_count > connections->request_capacity) {
        uint8_t *larger = realloc(connections->request, byte_count);
        if (larger == NULL) return fail(fault, "no memory");
        connections->request = larger;
        connections->request_capacity = byte_count;
    }
    memcpy(connections->request, bytes, byte_count);
    uint8_t *place = connections->request, *end = connections->request + byte_count;
    while (next_name && (place = memmem(place, (size_t)(end - place), marker, 36)) != NULL) {
        char name[37];
        sluice_bench_name((*next_name)++, name);
        memcpy(place, name, 36);
        place += 36;
    }
    connection->sent = now();
    connection->is_waiting = 1;
    connection->byte_count = 0;
    for (size_t sent = 0; sent < byte_count;) {
        int result = SSL_write(connection->tls, connections->request + sent, (int)(byte_count - sent));
        if (result > 0) {
            sent += (size_t)result;
            continue;
        }
        if (SSL_get_error(connection->tls, result) != SSL_ERROR_WANT_WRITE) return fail(fault, "a request could not be sent");
        struct pollfd writable = {connection->descriptor, POLLOUT, 0};
        poll(&writable, 1, 1000);
    }
}

/// 1 where an answer is whole, 0 where something is missing yet.
static int read_answer(struct connection *connection, char fault[512]) {
    for (;;) {
        if (connection->capacity - connection->byte_count < 16385) {
            size_t capacity = connection->capacity ? connection->capacity * 2 : 32768;
            char *larger = realloc(connection->answer, capacity);
            if (larger == NULL) return fail(fault, "no memory"), 0;
            connection->answer = larger;
            connection->capacity = capacity;
        }
        int result = SSL_read(connection->tls, connection->answer + connection->byte_count, 16384);
        if (result <= 0) {
            if (SSL_get_error(connection->tls, result) != SSL_ERROR_WANT_READ) fail(fault, "the service closed a connection");
            return 0;
        }
        connection->byte_count += (size_t)result;
        connection->answer[connection->byte_count] = 0;
        char *body = strstr(connection->answer, "\r\n\r\n");
        if (body == NULL) continue;
        char *length = strcasestr(connection->answer, "\r\ncontent-length:");
        if (length == NULL || length > body) return fail(fault, "an answer without a length"), 0;
        size_t whole = (size_t)(body + 4 - connection->answer) + strtoul(length + 17, NULL, 10);
        if (connection->byte_count >= whole) return 1;
    }
}

static void take_answer(struct sluice_bench_connections *connections, struct connection *connection, struct sluice_bench_answers *answers) {
    connection->is_waiting = 0;
    char *body = strstr(connection->answer, "\r\n\r\n") + 4;
    if (strncmp(connection->answer, "HTTP/1.1 200", 12) != 0 || strstr(body, "serverErrorCode") != NULL) {
        if (answers->fault[0] == 0) snprintf(answers->fault, sizeof answers->fault, "%.12s: %.400s", connection->answer, body);
        return;
    }
    answers->count += 1;
    answers->body_bytes += (int64_t)(connection->byte_count - (size_t)(body - connection->answer));
    if (connections->time_count == connections->time_capacity) {
        size_t capacity = connections->time_capacity ? connections->time_capacity * 2 : 4096;
        double *larger = realloc(connections->times, capacity * sizeof *larger);
        if (larger == NULL) return fail(answers->fault, "no memory");
        connections->times = larger;
        connections->time_capacity = capacity;
    }
    connections->times[connections->time_count++] = (now() - connection->sent) * 1000;
}

static int compare(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

static void summarize(struct sluice_bench_connections *connections, struct sluice_bench_answers *answers) {
    if (connections->time_count == 0) return;
    qsort(connections->times, connections->time_count, sizeof(double), compare);
    answers->median_milliseconds = connections->times[connections->time_count / 2];
    answers->slowest_milliseconds = connections->times[connections->time_count - 1];
}

/// Waits for answers and takes those that are whole; stores whose they are, and returns how many.
static int take_answers(struct sluice_bench_connections *connections, struct connection *answered[64], struct sluice_bench_answers *answers) {
    struct epoll_event events[64];
    int count = epoll_wait(connections->epoll, events, 64, 60000), answered_count = 0;
    if (count == 0) fail(answers->fault, "no answer for a minute");
    for (int index = 0; index < count && answers->fault[0] == 0; index++) {
        struct connection *connection = events[index].data.ptr;
        if (!read_answer(connection, answers->fault)) continue;
        take_answer(connections, connection, answers);
        answered[answered_count++] = connection;
    }
    return answered_count;
}

void sluice_bench_load(
    struct sluice_bench_connections *connections, const struct sluice_bench_requests *requests, int in_turn, double seconds, uint64_t *first_name,
    struct sluice_bench_answers *answers) {
    memset(answers, 0, sizeof *answers);
    connections->time_count = 0;
    double began = now();
    int turn = 0, waiting = 0;
    for (int index = 0; index < connections->count && answers->fault[0] == 0; index++, waiting++) {
        int number = (in_turn ? turn++ : index) % requests->count;
        send_request(connections, &connections->all[index], requests->bytes[number], requests->byte_counts[number], first_name, answers->fault);
    }
    while (waiting > 0 && answers->fault[0] == 0) {
        struct connection *answered[64];
        int count = take_answers(connections, answered, answers);
        for (int index = 0; index < count && answers->fault[0] == 0; index++) {
            struct connection *connection = answered[index];
            int number = (int)(in_turn ? turn++ : connection - connections->all) % requests->count;
            if (now() - began < seconds)
                send_request(connections, connection, requests->bytes[number], requests->byte_counts[number], first_name, answers->fault);
            else
                waiting -= 1;
        }
    }
    answers->seconds = now() - began;
    summarize(connections, answers);
}

// Long polls

void sluice_bench_wait(struct sluice_bench_connections *connections, const struct sluice_bench_requests *requests, struct sluice_bench_answers *answers) {
    memset(answers, 0, sizeof *answers);
    for (int index = 0; index + 1 < connections->count && answers->fault[0] == 0; index++)
        send_request(connections, &connections->all[index], requests->bytes[0], requests->byte_counts[0], NULL, answers->fault);
}

void sluice_bench_wake(
    struct sluice_bench_connections *connections, const struct sluice_bench_requests *requests, uint64_t *first_name, double *milliseconds,
    struct sluice_bench_answers *answers) {
    memset(answers, 0, sizeof *answers);
    connections->time_count = 0;
    struct connection *last = &connections->all[connections->count - 1];
    double began = now();
    send_request(connections, last, requests->bytes[0], requests->byte_counts[0], first_name, answers->fault);
    int waiting = connections->count, arrived = 0;
    while (waiting > 0 && answers->fault[0] == 0) {
        struct connection *answered[64];
        int count = take_answers(connections, answered, answers);
        for (int index = 0; index < count && answers->fault[0] == 0; index++) {
            struct connection *connection = answered[index];
            if (connection != last && answers->fault[0] == 0) milliseconds[arrived++] = (now() - began) * 1000;
            waiting -= 1;
        }
    }
    answers->seconds = now() - began;
}
