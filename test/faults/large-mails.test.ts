import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyFreePort } from '../../src/dev/ports.ts';
import { pngOf } from '../media/samples.ts';
import { mailOf } from '../support/mails.ts';
import { handOver } from '../support/smtp.ts';
import type { FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { IS_LONG, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

const MB = 1024 ** 2;
const DOMAIN = 'in.acme.example';
const INBOX = `support@${DOMAIN}`;
/** Above what a process holds when it has received, read and stored small mails. */
const MAX_BYTES_ABOVE_IDLE = 80 * MB;
/** With its header, just below the limit. */
const MAIL_BYTES = 24.9 * MB;
const inLongTier = IS_LONG && process.platform === 'linux' ? describe : describe.skip;

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/.{76}/g, '$&\r\n');
const partsOf = (...parts: string[]) => [...parts.map((part) => `--b\r\n${part}\r\n`), '--b--'].join('');
const MIXED = { 'Content-Type': 'multipart/mixed; boundary=b' };
const attached = (name: string, bytes: Buffer) =>
  `Content-Type: image/png\r\nContent-Disposition: attachment; filename=${name}\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(bytes)}`;
const lines = (bytes: number) => 'A line of a long text, about nothing.\r\n'.repeat(Math.floor(bytes / 39));

/** Mails of 25 MB, each large in another way. */
const LARGE: Record<string, (headers: Record<string, string>) => string> = {
  'files in Base64': (headers) => {
    const photo = pngOf(Math.floor(4.4 * MB));
    const photos = ['1.png', '2.png', '3.png', '4.png'].map((name) => attached(name, photo));
    return mailOf({ ...headers, ...MIXED }, partsOf('Content-Type: text/plain\r\n\r\nPhotos', ...photos));
  },
  'a file that is too large': (headers) => mailOf({ ...headers, ...MIXED }, partsOf(attached('1.png', pngOf(18 * MB)))),
  'a text': (headers) => mailOf(headers, lines(MAIL_BYTES)),
  HTML: (headers) => mailOf({ ...headers, 'Content-Type': 'text/html' }, `<p>${lines(MAIL_BYTES - 1_000)}</p>`),
  'one line without an end': (headers) => mailOf(headers, 'x'.repeat(MAIL_BYTES)),
  '10,000 parts': (headers) => {
    const part = `Content-Type: application/octet-stream\r\n\r\n${lines(2_450)}`;
    return mailOf({ ...headers, ...MIXED }, partsOf(...Array<string>(10_000).fill(part)));
  },
};

inLongTier('mails of 25 MB', () => {
  let stack: FaultStack;
  let org: FaultOrg;
  let port: number;
  beforeAll(async () => {
    port = await anyFreePort();
    const storage = `file:///tmp/large-mails-${process.pid}`;
    stack = await startFaultStack({
      env: { INBOUND_DOMAIN: DOMAIN, INBOUND_SMTP_PORT: String(port), STORAGE_URL: storage },
    });
    org = await stack.newOrg();
    expect((await org.call('PUT', '/email/inboxes', { address: INBOX, is_default_sender: true })).status).toBe(200);
  }, TEST_LIMIT_MS);
  afterAll(() => stack.close());

  const newSender = () => `${crypto.randomUUID()}@example.com`;
  const headersOf = (from: string) => ({ From: from, To: INBOX, Subject: 'Large' });
  const bySmtp = (from: string, raw: string) => handOver(port, { from, to: INBOX, raw });
  const byApi = async (_from: string, raw: string) => {
    const headers = { authorization: `Bearer ${org.key}`, 'content-type': 'message/rfc822' };
    const answer = await fetch(`${stack.url}/email/inbound`, { method: 'POST', headers, body: raw });
    if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
  };
  const allRead = () =>
    until(
      'all mails are read',
      async () =>
        (await stack.db.selectFrom('inbound_emails').select('id').where('processed_at', 'is', null).execute())
          .length === 0,
      TEST_LIMIT_MS,
    );
  const memoryOf = (pid: number, field: 'VmRSS' | 'VmHWM'): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  /** Returns by how much each program exceeded what it had before, while the work was done. */
  async function memoryFor(work: () => Promise<void>): Promise<Record<'api' | 'worker', number>> {
    const programs = { api: stack.api.pid(), worker: stack.worker.pid() };
    await sleep(2_000);
    const before = Object.entries(programs).map(([name, pid]) => {
      const bytes = memoryOf(pid, 'VmRSS');
      writeFileSync(`/proc/${pid}/clear_refs`, '5'); // the peak begins again
      return [name, pid, bytes] as const;
    });
    await work();
    await allRead();
    const used = before.map(([name, pid, bytes]) => [name, memoryOf(pid, 'VmHWM') - bytes]);
    return Object.fromEntries(used) as Record<'api' | 'worker', number>;
  }
  const shown = ({ api, worker }: Record<'api' | 'worker', number>) =>
    `api ${(api / MB).toFixed(0)} MB, worker ${(worker / MB).toFixed(0)} MB`;
  const expectBounded = (what: string, used: Record<'api' | 'worker', number>) => {
    process.stdout.write(`${what}: ${shown(used)} above idle\n`);
    expect(used.api).toBeLessThan(MAX_BYTES_ABOVE_IDLE);
    expect(used.worker).toBeLessThan(MAX_BYTES_ABOVE_IDLE);
  };

  it(
    'take at most 80 MB of memory above idle in each process, by SMTP and by the API',
    async () => {
      for (const send of [bySmtp, byApi])
        for (let n = 0; n < 20; n++) {
          const from = newSender();
          await send(from, mailOf({ ...headersOf(from), ...MIXED }, partsOf(attached('s.png', pngOf(20_000)))));
        }
      await allRead();
      for (const [what, mailOfKind] of Object.entries(LARGE))
        for (const [way, send] of [
          ['SMTP', bySmtp],
          ['the API', byApi],
        ] as const) {
          const from = newSender();
          const raw = mailOfKind(headersOf(from));
          expect(raw.length).toBeGreaterThan(23 * MB);
          expectBounded(`${what}, by ${way}`, await memoryFor(async () => void (await send(from, raw))));
        }
    },
    TEST_LIMIT_MS,
  );

  it(
    'are deferred beyond eight at once, and arrive once when they are sent again, in bounded memory',
    async () => {
      const senders = Array.from({ length: 16 }, newSender);
      const raw = LARGE['files in Base64']?.({ To: INBOX, Subject: 'Large' }) ?? '';
      const codes = new Set<number>();
      const persistently = async (from: string) => {
        const own = raw.replace('Ann@Example.com', from).replace(/Message-ID: <.*>/, `Message-ID: <${from}>`);
        for (;;) {
          try {
            await bySmtp(from, own);
            return;
          } catch (error) {
            codes.add((error as { responseCode: number }).responseCode);
            await sleep(500);
          }
        }
      };
      const used = await memoryFor(async () => void (await Promise.all(senders.map(persistently))));
      expect([...codes]).toEqual([452]);
      process.stdout.write(`16 at once: ${shown(used)} above idle\n`);
      expect(used.worker).toBeLessThan(2 * MAX_BYTES_ABOVE_IDLE);
      await expectFiles(senders, 4);
    },
    TEST_LIMIT_MS,
  );

  it(
    'are there once, with their files, when the worker and the api are killed while they come in',
    async () => {
      const senders = Array.from({ length: 8 }, newSender);
      let isSent = false;
      const sending = (async () => {
        for (const [nth, from] of senders.entries()) {
          const raw = LARGE['files in Base64']?.({ ...headersOf(from), 'Message-ID': `<${from}>` }) ?? '';
          const send = nth % 2 === 0 ? bySmtp : byApi;
          for (let isStored = false; !isStored; )
            isStored = await Promise.resolve(send(from, raw)).then(
              () => true,
              () => sleep(200, false),
            );
        }
        isSent = true;
      })();
      while (!isSent)
        for (const program of [stack.worker, stack.api]) {
          await sleep(1_000 + Math.random() * 3_000);
          await program.kill();
          await program.start();
        }
      await sending;
      await allRead();
      await expectFiles(senders, 4);
    },
    TEST_LIMIT_MS,
  );

  it(
    'are refused by SMTP and by the API beyond the limit, with a sentence',
    async () => {
      const from = newSender();
      const raw = mailOf(headersOf(from), lines(25.5 * MB));
      const refusal = await bySmtp(from, raw).catch((error: { responseCode: number }) => error.responseCode);
      expect(refusal).toBe(552);
      await expect(byApi(from, raw)).rejects.toThrow(/413.*25 MB/);
    },
    TEST_LIMIT_MS,
  );

  /** Each sender has one session with one message, and its files. */
  async function expectFiles(senders: string[], files: number) {
    for (const from of senders) {
      const contact = await stack.db
        .selectFrom('contacts')
        .select('id')
        .where('email', '=', from)
        .executeTakeFirstOrThrow();
      const sessions = await stack.db
        .selectFrom('sessions')
        .select('id')
        .where('contact_id', '=', contact.id)
        .execute();
      expect(sessions).toHaveLength(1);
      const history = (await org.call('GET', `/chat/sessions/${sessions[0]?.id}/history`)).body.items;
      const messages = history.filter(({ event }: { event: { type: string } }) => event.type === 'message');
      expect(messages.map(({ event }: { event: { attachments?: object[] } }) => event.attachments?.length)).toEqual([
        files,
      ]);
    }
  }
});
