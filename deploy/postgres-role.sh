#!/bin/sh
# Creates the role of the api and the worker in a new database.
set -eu

psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set password="$SWITCHBOARD_PASSWORD" --file /postgres-role.sql
