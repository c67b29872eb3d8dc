#!/usr/bin/env bash
# Makes a role, a database and a file with the role's password for sluice-records, and prints the connection string. Run it on the server as
# root, or anywhere with PGHOST, PGPORT and PGUSER set to somebody who may make roles and databases. Running it again gives the role a new password.
set -euo pipefail

usage() {
    echo "usage: postgresql-setup.sh --passfile FILE [--role NAME] [--database NAME] [--owner USER] [--host HOST] [--port PORT]" >&2
    echo "  --passfile FILE   where the password goes (mode 600); never printed" >&2
    echo "  --role NAME       the service's role; sluice_records" >&2
    echo "  --database NAME   its database; sluice" >&2
    echo "  --owner USER      the user that the service runs as, who gets FILE" >&2
    echo "  --host HOST       how the service reaches the server; PGHOST, or the server's own socket" >&2
    echo "  --port PORT       PGPORT, or 5432" >&2
    exit 64
}

role=sluice_records database=sluice passfile= owner= host=${PGHOST:-} port=${PGPORT:-5432}
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || usage
    case $1 in
    --role) role=$2 ;;
    --database) database=$2 ;;
    --passfile) passfile=$2 ;;
    --owner) owner=$2 ;;
    --host) host=$2 ;;
    --port) port=$2 ;;
    *) usage ;;
    esac
    shift 2
done
[ -n "$passfile" ] || usage
for name in "$role" "$database"; do
    [[ $name =~ ^[a-z_][a-z0-9_]{0,62}$ ]] || { echo "postgresql-setup.sh: '$name' is no name of small letters, digits and underscores" >&2; exit 64; }
done

# As the server's own administrator, unless the caller says who else may.
as_admin() {
    if [ -z "${PGUSER:-}" ] && [ "$(id -u)" -eq 0 ]; then
        (cd / && runuser -u postgres -- psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --dbname="$1")
    else
        psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --dbname="$1"
    fi
}

password=$(openssl rand -hex 24)

# Statements go in by standard input, because command lines can be read by everybody; and this session keeps them out of the server's log.
as_admin postgres <<END
SET log_statement = 'none';
SET log_min_duration_statement = -1;
SET log_min_error_statement = 'panic';
SET password_encryption = 'scram-sha-256';
DO \$\$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '$role') THEN CREATE ROLE $role LOGIN; END IF;
END \$\$;
ALTER ROLE $role LOGIN PASSWORD '$password';
SELECT 'CREATE DATABASE $database OWNER $role ENCODING ''UTF8'' TEMPLATE template0' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '$database') \gexec
REVOKE ALL ON DATABASE $database FROM PUBLIC;
END

# Wherever the role connects from: the database decides nothing by the host's name.
umask 077
temporary=$passfile.$$
trap 'rm -f "$temporary"' EXIT
echo "*:*:$database:$role:$password" >"$temporary"
if [ -n "$owner" ]; then chown "$owner" "$temporary"; fi
mv "$temporary" "$passfile"

if [ -z "$host" ]; then host=$(echo 'SHOW unix_socket_directories' | as_admin postgres | cut -d, -f1); fi
passfile=$(realpath "$passfile")
echo "postgresql:///$database?host=$host&port=$port&user=$role&passfile=$passfile"
