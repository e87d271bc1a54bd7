#!/bin/sh
# Creates Temporal's two databases and brings their schemas to the server's version. Safe to run at every start.
set -eu

for database in temporal temporal_visibility; do
  tool="temporal-sql-tool --plugin postgres12 --endpoint $POSTGRES_SEEDS --port $DB_PORT --user $POSTGRES_USER --db $database"
  $tool create
  $tool setup-schema --version 0.0
  $tool update-schema --schema-dir "${TEMPORAL_SCHEMA:-/etc/temporal/schema}/postgresql/v12/${database#temporal_}/versioned"
done
