import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline, Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Exchange, MAX_BYTES, scoreOf } from './exchange.ts';
import { shortened } from './stable.ts';

// Preloaded into a run of tests, it records what the tests send to the API and get from it:
// `EXAMPLES_DIR=/tmp/exchanges NODE_OPTIONS="--import=$PWD/scripts/examples/record.ts" npm test`
const CSV_TYPE = 'text/csv';
const folder = process.env.EXAMPLES_DIR;
const bodies = new WeakMap<FastifyRequest, unknown>();
const best = new Map<string, number>();

if (folder !== undefined) {
  mkdirSync(folder, { recursive: true });
  subscribe('fastify.initialization', (message) => recordWith((message as { fastify: FastifyInstance }).fastify));
}

/** The hooks are the first of the app: they see bodies before they are validated and answers before they are packed. */
function recordWith(app: FastifyInstance): void {
  app.addHook('preValidation', async (request) => {
    bodies.set(request, structuredClone(request.body));
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const { operationId } = (request.routeOptions.schema ?? {}) as { operationId?: string };
    if (operationId === undefined) return payload;
    const exchange = { operationId, status: reply.statusCode, request: bodies.get(request) };
    if (payload instanceof Readable && String(reply.getHeader('content-type')).startsWith(`${CSV_TYPE};`))
      return pipeline(
        payload,
        textOf((answer) => record({ ...exchange, type: CSV_TYPE, answer })),
        () => undefined,
      );
    if (typeof payload === 'string' || payload === undefined || payload === null)
      record({ ...exchange, answer: parsed(payload) });
    return payload;
  });
}

/** Passes a stream on, and calls back with its text at its end if it has no more than an example may have. */
function textOf(callBack: (text: string) => void): Transform {
  let text = '';
  return new Transform({
    transform: (chunk, _, done) => {
      if (text.length <= MAX_BYTES) text += chunk;
      done(null, chunk);
    },
    flush: (done) => {
      if (text.length <= MAX_BYTES) callBack(text);
      done();
    },
  });
}

/** Appends an exchange, with short lists, if it shows more than those before it. This bounds the file. */
function record(given: Exchange): void {
  const exchange = shortened(given);
  const key = `${exchange.operationId} ${exchange.status}`;
  const score = scoreOf(exchange);
  if (score <= (best.get(key) ?? 0)) return;
  best.set(key, score);
  appendFileSync(join(String(folder), `${process.pid}.ndjson`), `${JSON.stringify(exchange)}\n`);
}

function parsed(payload: string | null | undefined): unknown {
  if (payload === null || payload === undefined || payload === '') return undefined;
  try {
    return JSON.parse(payload);
  } catch {
    return undefined;
  }
}
