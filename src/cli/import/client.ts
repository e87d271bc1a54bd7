import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse';
import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import type { ImportResource, ImportSource } from '../../imports/schema.ts';
import type { LocalFile, Piece } from './pieces.ts';

const RETRY_MS = 2_000;
/** An api that is being replaced is back by then. */
const MAX_TRIES = 60;

/** An answer of the api that another try does not change. */
export class Refused extends Error {}

/** Where to import to, and what. */
export interface Target {
  url: string;
  key: string;
  source: ImportSource;
  resource: ImportResource;
  account: string;
}

const Started = z.object({ id: z.string() });
const Job = z.object({
  status: z.enum(['running', 'completed', 'failed', 'canceled']),
  progress: z.number(),
  records: z.int(),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  left_out: z.int(),
  incomplete: z.int(),
  reason: z.string().nullable(),
});
export type Job = z.infer<typeof Job>;

/** A line of a report: the record's place, its id, whether all or a part was left out, a code and the reason. */
export type Finding = [record: string, externalId: string, leftOut: string, code: string, reason: string];

type Sent = Omit<Dispatcher.RequestOptions<unknown>, 'origin' | 'path' | 'method'> & { method?: Dispatcher.HttpMethod };

/** Calls the api for imports. Each call is repeated while the api is away or busy: a piece is started once all the same. */
export function createImportClient({ url, key, source, resource, account }: Target) {
  const headers = { authorization: `Bearer ${key}` };
  const call = (path: string, options: () => Sent): Promise<Dispatcher.ResponseData<unknown>> =>
    repeated(() => request(new URL(path, url), options()));
  return {
    /** Uploads a piece of a file. Returns the id of its import. */
    async start(file: LocalFile, { start, end, header }: Piece): Promise<string> {
      const query = new URLSearchParams({ source, resource, account, file_name: basename(file.path) });
      const sent = {
        ...headers,
        'content-type': file.isJson ? 'application/x-ndjson' : 'text/csv',
        'content-length': String(header.length + Math.max(0, end - start)),
        'idempotency-key': randomUUID(),
      };
      const { body } = await call(`/imports?${query}`, () => ({
        method: 'POST',
        headers: sent,
        body: bytesOf(file, { start, end, header }),
      }));
      return Started.parse(await body.json()).id;
    },
    async job(id: string): Promise<Job> {
      const { body } = await call(`/imports/${id}`, () => ({ headers }));
      return Job.parse(await body.json());
    },
    /** Yields what was left out. */
    async *report(id: string): AsyncGenerator<Finding> {
      const { body } = await call(`/imports/${id}/report`, () => ({ headers }));
      yield* body.pipe(parse({ from_line: 2 })) as AsyncIterable<Finding>;
    },
  };
}

function bytesOf({ path }: LocalFile, { start, end, header }: Piece): Readable {
  const content = end > start ? createReadStream(path, { start, end: end - 1 }) : [];
  return Readable.from(
    (async function* () {
      if (header.length > 0) yield header;
      yield* content as AsyncIterable<Buffer>;
    })(),
    { objectMode: false },
  );
}

async function repeated(
  send: () => Promise<Dispatcher.ResponseData<unknown>>,
): Promise<Dispatcher.ResponseData<unknown>> {
  for (let tries = 1; ; tries++) {
    const answer = await send().catch((error: unknown) => {
      if (tries === MAX_TRIES) throw error;
      return undefined;
    });
    if (answer !== undefined && answer.statusCode < 300) return answer;
    const isBusy =
      answer === undefined || answer.statusCode === 408 || answer.statusCode === 429 || answer.statusCode >= 500;
    if (answer !== undefined && (!isBusy || tries === MAX_TRIES)) throw new Refused(await messageIn(answer));
    await answer?.body.dump();
    await sleep(RETRY_MS);
  }
}

const ErrorAnswer = z.object({ message: z.string() });

async function messageIn({ statusCode, body }: Dispatcher.ResponseData<unknown>): Promise<string> {
  const text = await body.text();
  try {
    return `${statusCode}: ${ErrorAnswer.parse(JSON.parse(text)).message}`;
  } catch {
    return `${statusCode}: ${text.slice(0, 200)}`;
  }
}
