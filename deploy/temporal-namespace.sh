#!/bin/sh
# Creates the namespace and the search attributes operators filter runs by, and sets how long the namespace shows what has
# ended. Safe to run at every start. Queries to save as views of the Temporal UI are in temporal-views.txt: the UI keeps
# views in the browser, so no script can create them.
set -eu

until temporal operator cluster health; do sleep 2; done

if temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" > /dev/null 2>&1; then
  temporal operator namespace update --namespace "$TEMPORAL_NAMESPACE" --retention "$TEMPORAL_RETENTION"
else
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$TEMPORAL_RETENTION"
fi

# A new namespace reaches every part of the server within seconds.
until known=$(temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE"); do sleep 2; done
# Title is the last: workflows that begin with a title set WaitsFor.
for name in OrgId SubjectId Kind WaitsFor Title; do
  echo "$known" | grep -qw "$name" ||
    temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$name" --type Keyword
done
