import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PNG } from '../media/samples.ts';
import { connectMeta, FAKES_ALLOWED } from '../support/channels.ts';
import { type FakeMeta, startFakeMeta } from '../support/fakes/meta.ts';
import type { FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { FILES, KILLS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

const LINK = /https?:\/\/\S+\/csat\/\S+/;

let stack: FaultStack;
let meta: FakeMeta;
let org: FaultOrg;
let url: string;
let folder: string;
beforeAll(async () => {
  meta = await startFakeMeta();
  folder = await mkdtemp(join(tmpdir(), 'switchboard-files-'));
  stack = await startFaultStack({ env: { ...FAKES_ALLOWED, STORAGE_URL: pathToFileURL(folder).href } });
  org = await stack.newOrg();
  url = await connectMeta({ put: (path, body) => org.call('PUT', path, body) }, meta);
}, TEST_LIMIT_MS);
afterAll(async () => {
  await stack.close();
  await meta.close();
  await rm(folder, { recursive: true, force: true });
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Posts until it is taken, as Meta does. */
async function persistently(post: () => Promise<number>): Promise<void> {
  while ((await post().catch(() => 0)) !== 200) await pause(100);
}

async function killRepeatedly(): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    for (const program of [stack.worker, stack.api]) {
      await pause(Math.random() * 500);
      await program.kill();
      await program.start();
    }
  }
}

interface Session {
  id: string;
  contact: { phone_number: string };
}
const sessions = async (): Promise<Session[]> => (await org.call('GET', '/chat/sessions?limit=100')).body.items;
const messagesOf = async (id: string): Promise<{ attachments: { url: string }[] }[]> =>
  (await org.call('GET', `/chat/sessions/${id}/history`)).body.items.flatMap(
    ({ event }: { event: { type: string; attachments: { url: string }[] } }) => (event.type === 'message' ? event : []),
  );

it(
  'every file of a contact that was taken is in its session, once, when the worker and the api are killed repeatedly',
  async () => {
    const numbers = Array.from({ length: FILES }, (_, nth) => `+1415${5_560_000 + nth}`);
    const sending = (async () => {
      for (const [nth, from] of numbers.entries()) {
        meta.files.set(String(nth), PNG);
        const message = { id: `wamid.${nth}`, type: 'image', image: { id: String(nth), caption: `Picture ${nth}` } };
        await persistently(() => meta.receiveContent(url, from, message));
      }
    })();
    await killRepeatedly();
    await sending;

    await until('every file has a session', async () => (await sessions()).length >= FILES, TEST_LIMIT_MS);
    const found = await sessions();
    expect(found.map(({ contact }) => contact.phone_number).sort()).toEqual(numbers);
    for (const { id } of found) {
      const messages = await messagesOf(id);
      expect(messages).toMatchObject([{ attachments: [{ name: 'image.png' }] }]);
      const file = await fetch(messages[0]?.attachments[0]?.url ?? '');
      expect(Buffer.from(await file.arrayBuffer())).toEqual(PNG);
    }
    const files = await stack.db.selectFrom('media').select('deleted_at').execute();
    expect(files).toEqual(Array(FILES).fill({ deleted_at: null }));
  },
  TEST_LIMIT_MS,
);

it(
  'every resolved session gets its survey, once, when the worker and the api are killed while it waits for its time',
  async () => {
    const settings = { csat: true, csat_survey: { channels: ['whatsapp'], delay_minutes: 1 } };
    expect((await org.call('PATCH', '/org/settings', settings)).status).toBe(200);
    const numbers = Array.from({ length: FILES }, (_, nth) => `+1415${5_570_000 + nth}`);
    for (const from of numbers) await persistently(() => meta.receive(url, { from, text: 'Hello?' }));
    await until('all have sessions', async () => (await sessions()).length >= 2 * FILES);
    const resolving = (async () => {
      for (const { id, contact } of await sessions())
        if (numbers.includes(contact.phone_number))
          await persistently(async () => {
            const { status } = await org.call('PATCH', `/chat/sessions/${id}`, { status: 'closed_resolved' });
            return status;
          });
    })();
    await killRepeatedly();
    await resolving;

    const states = () => stack.db.selectFrom('csat_surveys').select('state').execute();
    const isDone = async () => (await states()).filter(({ state }) => state === 'requested').length === FILES;
    await until('all surveys are requested', isDone, TEST_LIMIT_MS);
    const under = stack.db.selectFrom('deliveries').select('status').where('status', 'in', ['queued', 'sending']);
    await until('all are sent', async () => (await under.execute()).length === 0, TEST_LIMIT_MS);
    const asked = meta.texts.filter(({ text }) => LINK.test(text)).map(({ to }) => to);
    expect(new Set(asked).size).toBe(asked.length);
    const unknown = stack.db.selectFrom('deliveries').select('id').where('status', '=', 'unknown');
    expect(asked.length + (await unknown.execute()).length).toBeGreaterThanOrEqual(FILES);
  },
  TEST_LIMIT_MS,
);
