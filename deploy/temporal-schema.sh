#!/bin/sh
# Creates Temporal's two databases and brings their schemas to the server's version. Safe to run at every start.
set -eu

for database in temporal temporal_visibility; do
  tool="temporal-sql-tool --plugin postgres12 --endpoint $POSTGRES_SEEDS --port 5432 --user $POSTGRES_USER --db $database"
  $tool create
  $tool setup-schema --version 0.0
  $tool update-schema --schema-dir "/etc/temporal/schema/postgresql/v12/${database#temporal_}/versioned"
done
