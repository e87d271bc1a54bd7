import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { request } from 'undici';
import { runCommand } from '../../src/cli/commands.ts';
import { type Stack, startStack } from '../support/stack/stack.ts';
import { imported } from './support/importing.ts';
import { lines, TICKET } from './support/zendesk.ts';

/** As many are imported, and all others left out: what takes memory is reading, not Postgres. */
const IMPORTED = 500;
const FILE_BYTES = 95 * 1024 ** 2;
const MAX_GROWTH_BYTES = 60 * 1024 ** 2;
/** A sample collects the garbage, which takes time. */
const SAMPLE_MS = 1_500;
const TIMEOUT_MS = 900_000;

let stack: Stack;
const folder = mkdtempSync(join(tmpdir(), 'switchboard-imports-'));
const path = join(folder, 'tickets.json');
beforeAll(async () => {
  stack = await startStack();
  // The first import loads things such as the model of languages. That is no growth by a file's size.
  await imported(stack.other, ['zendesk', 'conversations'], lines(TICKET));
  await pipeline(Readable.from(tickets()), createWriteStream(path));
}, TIMEOUT_MS);
afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true });
});

function* tickets(): Generator<string> {
  const text = 'x'.repeat(20_000);
  for (let [n, bytes] = [1, 0]; bytes < FILE_BYTES; n++) {
    const status = n % 6 === 0 && n / 6 <= IMPORTED ? 'open' : 'deleted';
    const comments = status === 'open' ? TICKET.comments : [{ ...TICKET.comments[0], plain_body: text }];
    const line = lines({ ...TICKET, id: n, status, comments });
    bytes += line.length;
    yield line;
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
function liveBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Returns what works on something takes in memory at most, above what was in use before. */
async function growthBy(work: () => Promise<void>): Promise<number> {
  const before = liveBytes();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, liveBytes());
  }, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak - before;
}

it(
  'a file of 95 MB is received and imported with flat memory',
  async () => {
    const { org } = stack;
    let records = 0;
    const growth = await growthBy(async () => {
      // Node's fetch reads a stream faster than it can send it, and keeps the rest in memory.
      const started = await request(`${stack.url}/imports?source=zendesk&resource=conversations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${org.key}`, 'content-type': 'application/x-ndjson' },
        body: createReadStream(path),
      });
      expect(started.statusCode).toBe(202);
      const { id } = (await started.body.json()) as { id: string };
      for (;;) {
        const { body } = await org.get(`/imports/${id}`);
        records = body.records;
        if (body.status !== 'running') {
          expect(body).toMatchObject({ status: 'completed', created: IMPORTED, left_out: records - IMPORTED });
          break;
        }
        await sleep(500);
      }
    });
    expect(records).toBeGreaterThan(IMPORTED);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  },
  TIMEOUT_MS,
);

it(
  'the command imports the same file in pieces, with flat memory, and changes nothing the second time',
  async () => {
    const { key } = stack.other;
    const printed: string[] = [];
    const cli = () =>
      runCommand(['import', 'zendesk', 'conversations', path, '--report', join(folder, 'report.csv')], {
        env: { SWITCHBOARD_URL: stack.url, SWITCHBOARD_KEY: key },
        print: (text) => void printed.push(text),
        printError: () => undefined,
      });
    const growth = await growthBy(async () => {
      expect(await cli()).toBe(0);
    });
    expect(printed.at(-1)).toContain(`${IMPORTED} created`);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
    expect(await cli()).toBe(0);
    expect(printed.at(-1)).toContain(`0 created, 0 updated, ${IMPORTED} unchanged`);
  },
  TIMEOUT_MS,
);
