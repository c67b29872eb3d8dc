#include <sqlite3.h>

/* sqlite3_config is variadic too. Counting allocations takes a lock around every one of them. SQLite refuses once it is in use. */
static inline int sluice_sqlite3_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/* Pages are allocated when they are read, not twenty with the first: a helper reads a few and ends. */
static inline int sluice_sqlite3_allocate_pages_singly(void) { return sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0); }

/* sqlite3_db_config is variadic, which Swift cannot call. */
static inline int sluice_sqlite3_enable_triggers(sqlite3 *database, int enabled) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, enabled, (int *)0);
}

/* The pragma of that name does nothing inside a transaction; this does. */
static inline int sluice_sqlite3_enable_foreign_keys(sqlite3 *database, int enabled) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, enabled, (int *)0);
}

/* By default "x" is a text where no column is called x. */
static inline int sluice_sqlite3_refuse_double_quoted_text(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}
