import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { anyFreePort } from '../../src/dev/ports.ts';
import { ARTICLES, QUESTION } from '../ai/answering-org.ts';
import { mailOf } from '../support/mails.ts';
import { handOver } from '../support/smtp.ts';
import type { FaultOrg } from './support/fault-org.ts';
import { startFaultStack } from './support/fault-stack.ts';
import { INBOX_MAILS, KILLS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

const QUIET_MS = 10_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts an installation that receives mail at a port, and sends its own to another one. */
async function started(domain: string, port: number, more: Record<string, string> = {}) {
  const stack = await startFaultStack({
    env: { INBOUND_DOMAIN: domain, INBOUND_SMTP_PORT: String(port), ...more },
  });
  const org = await stack.newOrg();
  const inbox = `support@${domain}`;
  expect((await org.call('PUT', '/email/inboxes', { address: inbox, is_default_sender: true })).status).toBe(200);
  return { stack, org, inbox };
}

/** Repeats what is refused, or not answered, as mail servers do. */
async function persistently(send: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await send();
      return;
    } catch {
      await pause(100);
    }
  }
}

const emailSessionsOf = async (org: FaultOrg): Promise<{ id: string; contact: { email: string } }[]> =>
  (await org.call('GET', '/chat/sessions?channel_type=email&limit=100')).body.items;

it(
  'every mail that was taken is in a session, once, when the worker and the api are killed repeatedly',
  async () => {
    const port = await anyFreePort();
    const { stack, org, inbox } = await started('in.acme.example', port);
    const addresses = Array.from({ length: INBOX_MAILS }, (_, nth) => `c${nth}@example.com`);
    const bySmtp = (from: string, raw: string) => handOver(port, { from, to: inbox, raw });
    const byApi = async (_from: string, raw: string) => {
      const headers = { authorization: `Bearer ${org.key}`, 'content-type': 'message/rfc822' };
      const answer = await fetch(`${stack.url}/email/inbound`, { method: 'POST', headers, body: raw });
      if (answer.status !== 202) throw new Error(`${answer.status}`);
    };
    const sending = (async () => {
      for (const [nth, from] of addresses.entries()) {
        const raw = mailOf({ From: from, To: inbox, Subject: `Mail ${nth}` }, `This is mail ${nth}`);
        await persistently(() => (nth % 2 === 0 ? bySmtp : byApi)(from, raw));
      }
    })();
    for (let kill = 0; kill < KILLS; kill++) {
      for (const program of [stack.worker, stack.api]) {
        await pause(Math.random() * 500);
        await program.kill();
        await program.start();
      }
    }
    await sending;

    await until('every mail has a session', async () => (await emailSessionsOf(org)).length >= addresses.length);
    const unprocessed = () =>
      stack.db.selectFrom('inbound_emails').select('id').where('processed_at', 'is', null).execute();
    await until('every mail was read', async () => (await unprocessed()).length === 0);
    const sessions = await emailSessionsOf(org);
    expect(sessions.map(({ contact }) => contact.email).sort()).toEqual([...addresses].sort());
    for (const { id } of sessions) {
      const { items } = (await org.call('GET', `/chat/sessions/${id}/history`)).body;
      expect(items.filter(({ event }: { event: { type: string } }) => event.type === 'message')).toHaveLength(1);
    }
    await stack.close();
  },
  TEST_LIMIT_MS,
);

it(
  'two installations whose AIs answer mail end their conversation within three rounds',
  async () => {
    const [portA, portB] = [await anyFreePort(), await anyFreePort()];
    const a = await started('a.example', portA, { SMTP_URL: `smtp://127.0.0.1:${portB}` });
    const b = await started('b.example', portB, { SMTP_URL: `smtp://127.0.0.1:${portA}` });
    for (const { org } of [a, b]) {
      await org.call('PUT', '/help-center/content', {
        categories: [{ name: 'Shop', slug: 'shop', articles: ARTICLES }],
      });
      await org.call('PATCH', '/autopilot', { channel: 'email', autopilot_enabled: true });
    }
    const contact = (await a.org.post('/contacts', { contact: { email: b.inbox } })).body.id;
    const { id } = (await a.org.post('/chat/sessions', { contact_id: contact, channel: { type: 'email' } })).body;
    const message = { type: 'text', text: QUESTION };
    expect((await a.org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message })).status).toBe(201);

    const mailsOf = async ({ stack }: typeof a) =>
      (await stack.db.selectFrom('deliveries').select(['id', 'status']).execute()).length;
    await until('the other AI has answered', async () => (await mailsOf(b)) > 0);
    await pause(QUIET_MS);
    expect([await mailsOf(a), await mailsOf(b)]).toEqual([1, 1]);
    await Promise.all([a.stack.close(), b.stack.close()]);
  },
  TEST_LIMIT_MS,
);

it(
  'an auto-responder that hides what it is ends its conversation with the AI within three rounds',
  async () => {
    const [port, responderPort] = [await anyFreePort(), await anyFreePort()];
    const { stack, org, inbox } = await started('c.example', port, { SMTP_URL: `smtp://127.0.0.1:${responderPort}` });
    await org.call('PUT', '/help-center/content', {
      categories: [{ name: 'Shop', slug: 'shop', articles: ARTICLES }],
    });
    await org.call('PATCH', '/autopilot', { channel: 'email', autopilot_enabled: true });
    const from = 'ann@auto.example';
    let answers = 0;
    const responder = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onData(stream, _session, done) {
        text(stream)
          .then((mail) => {
            done();
            const [, id = ''] = /^Message-ID: (<.*>)/im.exec(mail) ?? [];
            const headers = { From: from, To: inbox, Subject: 'Re: Question', 'In-Reply-To': id, References: id };
            const raw = mailOf(headers, `${QUESTION}\r\nTicket ${++answers}`);
            return handOver(port, { from, to: inbox, raw });
          })
          .catch(() => undefined);
      },
    });
    await new Promise<void>((resolve) => void responder.listen(responderPort, '127.0.0.1', resolve));
    await handOver(port, { from, to: inbox, raw: mailOf({ From: from, To: inbox, Subject: 'Question' }, QUESTION) });
    const mails = async () => (await stack.db.selectFrom('deliveries').select('id').execute()).length;
    await until('the AI has answered', async () => (await mails()) > 0);
    await pause(QUIET_MS);
    expect(await mails()).toBeLessThanOrEqual(3);
    expect(answers).toBe(await mails());
    await new Promise<void>((resolve) => responder.close(resolve));
    await stack.close();
  },
  TEST_LIMIT_MS,
);
