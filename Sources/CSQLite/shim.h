#include <sqlite3.h>

/* sqlite3_db_config is variadic, which Swift cannot call. */
static inline int sluice_sqlite3_enable_triggers(sqlite3 *database, int enabled) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, enabled, (int *)0);
}
