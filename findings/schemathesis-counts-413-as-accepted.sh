#!/usr/bin/env bash
# Schemathesis reports a request that a server refuses for its size as accepted.
#
# Seen with schemathesis 4.32.5 and fastify 5.12.8 with a body limit. The document allows texts of 1,000 characters, and the
# server takes bodies of 1,000 bytes: a text that is one character too long is refused before its content is looked at, by
# the 413 that the document describes (RFC 9110, 15.5.14).
# - `negative_data_rejection` fails: "Schema-violating request accepted". Of the 4xx it knows 400, 401, 403, 404, 406,
#   422 and 428.
# - With 413 in `negative_data_rejection.expected-statuses`, it passes.
# It ends with an error if one of these changes.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server"; rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund fastify@5.12.8 > /dev/null
python3 -m venv python 2> /dev/null || python3 -m venv --without-pip python
if [ -x python/bin/pip ]; then python/bin/pip install -q schemathesis==4.32.5
else python3 -m pip install -q --target packages schemathesis==4.32.5; fi

cat > server.mjs <<'JS'
import Fastify from 'fastify';

const customOptions = { removeAdditional: false, coerceTypes: false };
const app = Fastify({ bodyLimit: 1_000, ajv: { customOptions } });
const body = {
  type: 'object',
  properties: { text: { type: 'string', maxLength: 1_000 } },
  required: ['text'],
  additionalProperties: false,
};
const refused = { description: 'Refused' };
app.post('/notes', { schema: { body } }, async () => ({}));
app.get('/openapi.json', async () => ({
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  paths: {
    '/notes': {
      post: {
        requestBody: { required: true, content: { 'application/json': { schema: body } } },
        responses: { 200: { description: 'OK' }, 400: refused, 413: refused, 415: refused },
      },
    },
  },
}));
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
JS
node server.mjs > url &
server=$!
until [ -s url ]; do sleep 0.2; done

check() {
  PYTHONPATH=packages python/bin/python -c 'import sys; from schemathesis.cli import schemathesis as run; sys.exit(run())' --no-color run \
    "$(cat url)/openapi.json" --phases coverage --checks negative_data_rejection --continue-on-failure > "$1" 2>&1 || true
}
check before
printf '[checks]\nnegative_data_rejection.expected-statuses = [400, 413, 415]\n' > schemathesis.toml
check after

grep -m 1 -i 'schema-violating request accepted' before || true
grep -m 1 '\[413\]' before || true
tail -n 1 after
grep -qi 'schema-violating request' before && grep -q '\[413\]' before && grep -q 'No issues found' after &&
  echo 'as seen' || { echo CHANGED; exit 1; }
