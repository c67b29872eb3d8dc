#include <libpq-fe.h>

/* Character constants are not imported as macros. */
enum {
    sluice_pg_sqlstate = PG_DIAG_SQLSTATE,
    sluice_pg_message = PG_DIAG_MESSAGE_PRIMARY,
    sluice_pg_constraint = PG_DIAG_CONSTRAINT_NAME
};
