#include "group_commit.h"
#include "model_loops.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *settings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF; PRAGMA cache_size = -24576;";
static const char *records = "CREATE TABLE record (name TEXT NOT NULL, sequence INTEGER NOT NULL, fields BLOB, PRIMARY KEY (name)) WITHOUT ROWID;"
                             "CREATE INDEX record_sequence ON record(sequence);";

struct table {
    sqlite3 *database;
    sqlite3_stmt *insert;
    char *bytes;
    int byte_count;
};

static int open_file(const char *path, const char *schema, sqlite3 **database) {
    int code = sqlite3_open(path, database);
    if (code == SQLITE_OK) code = sqlite3_exec(*database, settings, NULL, NULL, NULL);
    if (code == SQLITE_OK) code = sqlite3_exec(*database, schema, NULL, NULL, NULL);
    return code;
}

static int open_table(const char *path, int byte_count, struct table *table) {
    memset(table, 0, sizeof *table);
    table->bytes = calloc(1, (size_t)byte_count + 1);
    if (table->bytes == NULL) return SQLITE_NOMEM;
    memset(table->bytes, 'n', (size_t)byte_count);
    table->byte_count = byte_count;
    int code = open_file(path, records, &table->database);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(table->database, "INSERT INTO record(name, sequence, fields) VALUES (?, ?, ?)", -1, &table->insert, NULL);
    return code;
}

static void close_table(struct table *table) {
    sqlite3_finalize(table->insert);
    sqlite3_close(table->database);
    free(table->bytes);
}

static int insert_row(struct table *table, int64_t number) {
    char name[37];
    sluice_bench_name((uint64_t)number, name);
    sqlite3_bind_text(table->insert, 1, name, 36, SQLITE_TRANSIENT);
    sqlite3_bind_int64(table->insert, 2, number);
    sqlite3_bind_blob(table->insert, 3, table->bytes, table->byte_count, SQLITE_STATIC);
    int code = sqlite3_step(table->insert);
    sqlite3_reset(table->insert);
    return code == SQLITE_DONE ? SQLITE_OK : sqlite3_errcode(table->database);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

struct loop {
    pthread_mutex_t lock;
    pthread_cond_t is_wanted;
    struct writer *waiting;
    int live, code;
    double end;
    int64_t next;
};

struct writer {
    struct loop *loop;
    struct writer *next;
    pthread_cond_t is_done_changed;
    pthread_t thread;
    int is_done;
};

static void *write_rows(void *argument) {
    struct writer *writer = argument;
    struct loop *loop = writer->loop;
    pthread_mutex_lock(&loop->lock);
    while (now() < loop->end && loop->code == SQLITE_OK) {
        writer->is_done = 0;
        writer->next = loop->waiting;
        loop->waiting = writer;
        pthread_cond_signal(&loop->is_wanted);
        while (!writer->is_done) pthread_cond_wait(&writer->is_done_changed, &loop->lock);
    }
    loop->live -= 1;
    pthread_cond_signal(&loop->is_wanted);
    pthread_mutex_unlock(&loop->lock);
    return NULL;
}

static void commit_groups(struct loop *loop, struct table *table) {
    pthread_mutex_lock(&loop->lock);
    for (;;) {
        while (loop->waiting == NULL && loop->live > 0) pthread_cond_wait(&loop->is_wanted, &loop->lock);
        struct writer *group = loop->waiting;
        loop->waiting = NULL;
        if (group == NULL) break;
        pthread_mutex_unlock(&loop->lock);
        int code = sqlite3_exec(table->database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        for (struct writer *writer = group; writer && code == SQLITE_OK; writer = writer->next) code = insert_row(table, loop->next++);
        if (code == SQLITE_OK) code = sqlite3_exec(table->database, "COMMIT", NULL, NULL, NULL);
        pthread_mutex_lock(&loop->lock);
        if (code != SQLITE_OK) loop->code = code;
        while (group) {
            struct writer *next = group->next;
            group->is_done = 1;
            pthread_cond_signal(&group->is_done_changed);
            group = next;
        }
    }
    pthread_mutex_unlock(&loop->lock);
}

int sluice_bench_group_commit(const char *path, int width, double seconds, int byte_count, int64_t *rows) {
    struct table table;
    struct writer *writers = calloc((size_t)width, sizeof *writers);
    int code = writers ? open_table(path, byte_count, &table) : SQLITE_NOMEM;
    if (code == SQLITE_OK) {
        struct loop loop = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0, SQLITE_OK, now() + seconds, 0};
        pthread_mutex_lock(&loop.lock);
        for (int index = 0; index < width; index++) {
            writers[index] = (struct writer){.loop = &loop, .is_done_changed = PTHREAD_COND_INITIALIZER};
            if (pthread_create(&writers[index].thread, NULL, write_rows, &writers[index]) != 0) break;
            loop.live += 1;
        }
        int started = loop.live;
        pthread_mutex_unlock(&loop.lock);
        commit_groups(&loop, &table);
        for (int index = 0; index < started; index++) pthread_join(writers[index].thread, NULL);
        *rows = loop.next;
        code = started == width ? loop.code : SQLITE_NOMEM;
    }
    if (writers) close_table(&table);
    free(writers);
    return code;
}

int sluice_bench_push(const char *device_path, const char *service_path, int64_t count, int batch_count, int byte_count) {
    sqlite3 *device = NULL;
    sqlite3_stmt *freeze = NULL;
    struct table table;
    int code = open_table(service_path, byte_count, &table);
    if (code == SQLITE_OK) code = open_file(device_path, "CREATE TABLE operation (number INTEGER PRIMARY KEY, body BLOB)", &device);
    if (code == SQLITE_OK) code = sqlite3_prepare_v2(device, "INSERT INTO operation(body) VALUES (zeroblob(?))", -1, &freeze, NULL);
    for (int64_t number = 0; number < count && code == SQLITE_OK;) {
        sqlite3_bind_int64(freeze, 1, (int64_t)batch_count * (byte_count + 36));
        if (sqlite3_step(freeze) != SQLITE_DONE) code = sqlite3_errcode(device);
        sqlite3_reset(freeze);
        if (code == SQLITE_OK) code = sqlite3_exec(table.database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        for (int index = 0; index < batch_count && number < count && code == SQLITE_OK; index++) code = insert_row(&table, number++);
        if (code == SQLITE_OK) code = sqlite3_exec(table.database, "COMMIT", NULL, NULL, NULL);
        if (code == SQLITE_OK) code = sqlite3_exec(device, "DELETE FROM operation", NULL, NULL, NULL);
    }
    sqlite3_finalize(freeze);
    sqlite3_close(device);
    close_table(&table);
    return code;
}
