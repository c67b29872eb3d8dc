#include "model_loops.h"

#include <malloc.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *schema =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF; PRAGMA cache_size = -24576;"
    "CREATE TABLE ShoppingItem (_pk INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB, name TEXT, quantity INTEGER, isChecked INTEGER,"
    " price, note TEXT, createdAt, category TEXT);"
    "CREATE UNIQUE INDEX unique_id ON ShoppingItem(id);";

static uint64_t mix(uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

void sluice_bench_uuid(uint64_t number, uint8_t *bytes) {
    uint64_t halves[2] = {mix(number), mix(~number)};
    memcpy(bytes, halves, 16);
}

void sluice_bench_name(uint64_t number, char *text) {
    static const char digits[] = "0123456789ABCDEF";
    uint8_t bytes[16];
    sluice_bench_uuid(number, bytes);
    for (int index = 0; index < 16; index++) {
        if (index == 4 || index == 6 || index == 8 || index == 10) *text++ = '-';
        *text++ = digits[bytes[index] >> 4];
        *text++ = digits[bytes[index] & 15];
    }
    *text = 0;
}

int sluice_bench_insert(const char *path, int64_t count) {
    sqlite3 *database = NULL;
    sqlite3_stmt *insert = NULL;
    int code = sqlite3_open(path, &database);
    if (code == SQLITE_OK) code = sqlite3_exec(database, schema, NULL, NULL, NULL);
    if (code == SQLITE_OK) code = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(
            database,
            "INSERT INTO ShoppingItem(id, name, quantity, isChecked, price, note, createdAt, category) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", -1,
            &insert, NULL);
    for (int64_t number = 0; code == SQLITE_OK && number < count; number++) {
        uint8_t uuid[16];
        char name[32], category[16];
        sluice_bench_uuid((uint64_t)number, uuid);
        snprintf(name, sizeof name, "Item %lld", (long long)number);
        snprintf(category, sizeof category, "Category %lld", (long long)(number % 20));
        sqlite3_bind_blob(insert, 1, uuid, 16, SQLITE_TRANSIENT);
        sqlite3_bind_text(insert, 2, name, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int64(insert, 3, number % 10);
        sqlite3_bind_int64(insert, 4, number % 2);
        sqlite3_bind_double(insert, 5, (double)number * 0.25);
        if (number % 3 == 0)
            sqlite3_bind_text(insert, 6, "a note that is longer than fifteen bytes", -1, SQLITE_STATIC);
        else
            sqlite3_bind_null(insert, 6);
        sqlite3_bind_double(insert, 7, (double)number);
        sqlite3_bind_text(insert, 8, category, -1, SQLITE_TRANSIENT);
        if (sqlite3_step(insert) != SQLITE_DONE) code = sqlite3_errcode(database);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    if (code == SQLITE_OK) code = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(database);
    return code;
}

struct item {
    int64_t key;
    uint8_t id[16];
    char *name, *note, *category;
    int64_t quantity;
    int checked;
    double price, created;
};

static char *copied(sqlite3_stmt *row, int column) {
    int size = sqlite3_column_bytes(row, column);
    const unsigned char *text = sqlite3_column_text(row, column);
    if (text == NULL) return NULL;
    char *copy = malloc((size_t)size + 1);
    memcpy(copy, text, (size_t)size + 1);
    return copy;
}

int sluice_bench_fetch(const char *path, int64_t *rows, int64_t *checksum) {
    sqlite3 *database = NULL;
    sqlite3_stmt *select = NULL;
    struct item *items = NULL;
    size_t count = 0, capacity = 0;
    int code = sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(
            database, "SELECT _pk, id, name, quantity, isChecked, price, note, createdAt, category FROM ShoppingItem", -1, &select, NULL);
    while (code == SQLITE_OK && sqlite3_step(select) == SQLITE_ROW) {
        if (count == capacity) {
            capacity = capacity ? capacity * 2 : 1024;
            items = realloc(items, capacity * sizeof *items);
        }
        struct item *item = &items[count++];
        item->key = sqlite3_column_int64(select, 0);
        memcpy(item->id, sqlite3_column_blob(select, 1), 16);
        item->name = copied(select, 2);
        item->quantity = sqlite3_column_int64(select, 3);
        item->checked = sqlite3_column_int(select, 4);
        item->price = sqlite3_column_double(select, 5);
        item->note = copied(select, 6);
        item->created = sqlite3_column_double(select, 7);
        item->category = copied(select, 8);
    }
    *rows = (int64_t)count;
    *checksum = 0;
    for (size_t index = 0; index < count; index++) {
        *checksum += items[index].quantity + (int64_t)strlen(items[index].name);
        free(items[index].name);
        free(items[index].note);
        free(items[index].category);
    }
    free(items);
    sqlite3_finalize(select);
    sqlite3_close(database);
    return code;
}

int sluice_bench_fetch_values(const char *path, int64_t *rows, int64_t *checksum) {
    sqlite3 *database = NULL;
    sqlite3_stmt *select = NULL;
    struct item *items = NULL;
    size_t count = 0, capacity = 0;
    int code = sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL);
    if (code == SQLITE_OK) code = sqlite3_prepare_v2(database, "SELECT name, quantity FROM ShoppingItem", -1, &select, NULL);
    while (code == SQLITE_OK && sqlite3_step(select) == SQLITE_ROW) {
        if (count == capacity) {
            capacity = capacity ? capacity * 2 : 1024;
            items = realloc(items, capacity * sizeof *items);
        }
        items[count].name = copied(select, 0);
        items[count++].quantity = sqlite3_column_int64(select, 1);
    }
    *rows = (int64_t)count;
    *checksum = 0;
    for (size_t index = 0; index < count; index++) {
        *checksum += items[index].quantity + (int64_t)strlen(items[index].name);
        free(items[index].name);
    }
    free(items);
    sqlite3_finalize(select);
    sqlite3_close(database);
    return code;
}

// As a store of ours is opened.
static const char *settings =
    "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -24576;";

int sluice_bench_statement(const char *path, const char *sql, int64_t *result) {
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_open(path, &database);
    if (code == SQLITE_OK) code = sqlite3_exec(database, settings, NULL, NULL, NULL);
    if (code == SQLITE_OK) code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        int step = sqlite3_step(statement);
        *result = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : sqlite3_changes64(database);
        if (step != SQLITE_ROW && step != SQLITE_DONE) code = sqlite3_errcode(database);
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return code;
}

void sluice_bench_trim(void) { malloc_trim(0); }
