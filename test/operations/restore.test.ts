import { Client, Connection } from '@temporalio/client';
import { sql } from 'kysely';
import { runCommand } from '../../src/cli/commands.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { ARTICLES, QUESTION } from '../ai/answering-org.ts';
import { addressesOf, type FaultOrg } from '../faults/support/fault-org.ts';
import { type FaultStack, startFaultStack } from '../faults/support/fault-stack.ts';
import { until } from '../faults/support/until.ts';
import { formWith, PNG } from '../media/samples.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import { type Backups, createBackups, makeOld } from './support/backups.ts';

const LIMIT_MS = 600_000;
/** The work of this time after the first backup is lost with the database. */
const DELAY_S = 25;
const DELAY_MINUTES = DELAY_S / 60;
const CONTACTS = 3;
/** Addresses that may have got their mail in the lost time. The workflow of two of them still runs at the loss. */
const IN_DOUBT = ['delayed', 'commanded', 'interrupted', 'partly-sent', 'partly-deferred'];

let stack: FaultStack;
let backups: Backups;
let shop: FakeProvider;
let receiver: WebhookReceiver;
let org: FaultOrg;
beforeAll(async () => {
  [shop, receiver] = await Promise.all([startFakeProvider(), startWebhookReceiver()]);
  backups = createBackups(() => stack);
  stack = await startFaultStack({
    env: { EGRESS_ALLOW: '127.0.0.0/8', STORAGE_URL: `file://${backups.filesFolder}` },
  });
  org = await stack.newOrg();
}, LIMIT_MS);
afterAll(async () => {
  await stack.close();
  backups.remove();
  await Promise.all([shop.close(), receiver.close()]);
});

/** Runs a command of the operator. Returns its JSON. */
async function cli(...argv: string[]) {
  const printed: string[] = [];
  const errors: string[] = [];
  const code = await runCommand([...argv, '--json'], {
    env: stack.env,
    print: (text) => void printed.push(text),
    printError: (text) => void errors.push(text),
  });
  expect({ argv, code, errors }).toEqual({ argv, code: 0, errors: [] });
  return JSON.parse(printed.join('\n'));
}
const kindsOf = (rows: { kind: string }[]) => [...new Set(rows.map(({ kind }) => kind))].toSorted();

const addressOf = (name: string) => `${name}@${org.id}.example.com`;
async function email(name: string, more: object = {}): Promise<string> {
  const address = addressOf(name);
  const { status, body } = await org.post('/email', {
    from_email: 'hello@example.org',
    recipients: [{ to_email: address }],
    fallback_email_subject: name,
    fallback_email_body: 'Hello',
    ...more,
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return address;
}
const mailsTo = (name: string) => org.mails().filter(({ subject }) => subject === name).length;
const statusOf = async (name: string) => {
  const { rows } = await sql<{ status: string; reason: string | null }>`
    select status, reason from deliveries where org_id = ${org.id} and "to" = ${addressOf(name)}`.execute(stack.db);
  return rows[0];
};
const untilStatus = (name: string, status: string) =>
  until(`${name} is ${status}`, async () => (await statusOf(name))?.status === status);

/** Makes and activates a workflow that calls the shop, waits, and calls it again. Returns its id and its webhook. */
async function callingWorkflow(minutes: number, trigger: object = { trigger_type: 'webhook' }) {
  const call = (id: string) => ({
    $kind: 'Action',
    id,
    type: 'send-webhook',
    name: 'Call',
    input: { url: shop.url, method: 'POST', body: { call: `${id} after ${minutes}` } },
  });
  const pause = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes } };
  const { body } = await org.post('/workflows', {
    name: `Calls ${minutes}`,
    workflow_blocks: [call('one'), pause, call('two')],
    ...trigger,
  });
  const activated = await org.post(`/workflows/${body.workflow_id}/activate`, {});
  expect(activated).toMatchObject({ status: 200 });
  const hook = body.webhook_url === null ? '' : new URL(body.webhook_url).pathname;
  return { id: body.workflow_id as string, hook };
}
const callsOf = (text: string) => shop.calls.filter(({ body }) => body.includes(text)).length;
const statusesOfRuns = async () => {
  const { rows } = await sql<{ status: string }>`
    select status from automation_runs where org_id = ${org.id} order by id`.execute(stack.db);
  return rows.map(({ status }) => status);
};

async function newSession(): Promise<string> {
  const { status, body } = await org.post('/chat/sessions', { channel: { type: 'api' } });
  expect(status).toBe(201);
  return body.id;
}
const snooze = async (seconds: number) => {
  const id = await newSession();
  const body = { until: new Date(Date.now() + seconds * 1_000).toISOString() };
  expect(await org.post(`/chat/sessions/${id}/snooze`, body)).toMatchObject({ status: 200 });
  return id;
};
async function ask(): Promise<string> {
  const id = await newSession();
  const message = { sender: 'contact', message: { type: 'text', text: QUESTION } };
  expect((await org.post(`/chat/sessions/${id}/send`, message)).status).toBe(201);
  return id;
}
const turnOf = async (session: string) => {
  const { rows } = await sql<{ state: string; ended_at: Date | null }>`
    select state, ended_at from ai_turns where session_id = ${session} order by number desc limit 1`.execute(stack.db);
  return rows[0];
};
async function upload(): Promise<{ id: string; url: string }> {
  const form = formWith(PNG, 'a.png');
  const answer = await fetch(`${stack.url}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${org.key}` },
    body: form,
  });
  expect(answer.status).toBe(201);
  const { id, fileUrl } = (await answer.json()) as { id: string; fileUrl: string };
  return { id, url: fileUrl };
}
const temporalSays = async <Result>(ask: (client: Client) => Promise<Result>): Promise<Result> => {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    return await ask(new Client({ connection }));
  } finally {
    await connection.close();
  }
};
const stateIn = (client: Client, id: string) =>
  client.workflow
    .getHandle(id)
    .describe()
    .then(
      ({ status }) => status.name as string,
      () => 'ABSENT',
    );

describe('a restore to different times', () => {
  /** What the first backup has and the time after it has done. */
  const planted: Record<string, string> = {};
  /** What only the second backup has. */
  const later: Record<string, string> = {};
  let lostUntil = '';

  it(
    'begins with an installation of which two backups are taken, and which works on between them',
    async () => {
      await org.call('PUT', '/help-center/content', {
        categories: [{ name: 'Shop', slug: 'shop', articles: ARTICLES }],
      });
      await org.call('PATCH', '/autopilot', { channel: 'api', autopilot_enabled: true });
      await org.call('PATCH', '/autopilot/settings', { quiet_seconds: { api: DELAY_S }, cap_seconds: { api: 60 } });
      await org.call('POST', '/autopilot/settings/publish');
      const policy = (await org.post('/sla/policies', { name: 'Gold', resolution_target_seconds: 3_600 })).body.id;
      await org.call('PUT', `/sla/policies/${policy}/assignment`, {});
      planted.file = (await upload()).id;
      planted.sequence = await org.createSequence([{}, { delayInMinutes: DELAY_MINUTES }]);
      await org.addContacts(addressesOf(org, CONTACTS));
      await org.untilMails(CONTACTS);
      await email('delayed', { delay_in_minutes: DELAY_MINUTES });
      const workflow = await callingWorkflow(DELAY_MINUTES);
      await org.post(workflow.hook, { order: 1 });
      await until('the shop was called', async () => callsOf('one') === 1);
      planted.snoozed = await snooze(DELAY_S);
      planted.asked = await ask();
      await until('a turn waits', async () => (await turnOf(planted.asked ?? ''))?.ended_at === null);
      receiver.answer = (_, response) => void response.writeHead(503).end();
      const endpoint = (await org.post('/webhooks', { url: receiver.url, event_types: ['conversation.started'] })).body;
      receiver.secrets.push(endpoint.secret);
      planted.hooked = await newSession();
      await until('a webhook is to be tried again', async () => {
        const { rows } = await sql`select 1 from webhook_deliveries where status = 'retrying'`.execute(stack.db);
        return rows.length === 1;
      });
      stack.sink.script({ delayMs: 4_000 });
      await email('interrupted');
      await untilStatus('interrupted', 'sending');
      await stack.worker.kill();
      await email('commanded');
      await email('partly', {
        recipients: ['sent', 'deferred', 'later'].map((name) => ({ to_email: addressOf(`partly-${name}`) })),
      });
      await sql`update deliveries set not_before = now() + interval '2 hours' where "to" like 'partly-later@%'`.execute(
        stack.db,
      );
      await backups.take('first');

      stack.sink.script({ recipients: [{ match: 'partly-deferred', reply: '451 4.3.0 later' }] });
      receiver.answer = (_, response) => void response.writeHead(200).end();
      await backups.startServers();
      await backups.startPrograms();
      for (const name of ['delayed', 'commanded', 'partly-sent']) await untilStatus(name, 'accepted');
      await org.untilMails(CONTACTS * 2 + 3);
      await until('the shop was called again', async () => callsOf('two') === 1);
      await until(
        'the question was answered',
        async () => (await turnOf(planted.asked ?? ''))?.ended_at instanceof Date,
      );
      await until('the webhooks were delivered', async () => {
        const { rows } = await sql`select 1 from webhook_deliveries where status <> 'delivered'`.execute(stack.db);
        return rows.length === 0;
      });

      later.sequence = await org.createSequence([{ delayInMinutes: 60 }]);
      await org.addContacts(addressesOf(org, 1, 'later'));
      await email('later', { delay_in_minutes: 60 });
      const waiting = await callingWorkflow(30);
      await org.post(waiting.hook, { order: 2 });
      await until('the second workflow waits', async () => callsOf('one') === 2);
      later.cron = (
        await callingWorkflow(31, { trigger_type: 'cron-trigger', trigger_configuration: { cron: '0 0 1 1 *' } })
      ).id;
      later.snoozed = await snooze(3_600);
      later.file = (await upload()).id;
      await temporalSays((client) =>
        until('the Schedule is set', () =>
          client.schedule
            .getHandle(`workflow-schedule/${later.cron}`)
            .describe()
            .then(
              () => true,
              () => false,
            ),
        ),
      );
      const { rows } = await sql<{ id: string; kind: string }>`
        select id::text, 'run' as kind from automation_runs where org_id = ${org.id} and status = 'in_progress'
        union all select email_request_id::text, 'email' from deliveries where org_id = ${org.id} and "to" like 'later@%'
      `.execute(stack.db);
      for (const { id, kind } of rows) later[kind] = id;
      later.asked = await ask();
      await until('another turn waits', async () => (await turnOf(later.asked ?? ''))?.ended_at === null);
      await until('all commands have left', async () => (await org.outbox()) === 0);
      lostUntil = new Date().toISOString();
      await backups.take('second');
      makeOld(backups.filesFolder);
    },
    LIMIT_MS,
  );

  /** What the outside has got, which no restore may change. */
  const outside = () => ({
    // The contact who came between the backups is enrolled too: its mails are its own.
    sequence: org.mails().filter(({ subject, to }) => subject.startsWith('sequence 1') && to.startsWith('contact-'))
      .length,
    delayed: mailsTo('delayed'),
    commanded: mailsTo('commanded'),
    interrupted: mailsTo('interrupted'),
    partly: mailsTo('partly'),
    one: callsOf('one after'),
    two: callsOf('two after'),
  });

  it(
    'sends and calls nothing twice when the database is older than Temporal, and sends nothing while it is paused',
    async () => {
      const before = outside();
      const webhooks = receiver.received.length;
      const ofHooked = () =>
        receiver.received.filter(({ body }) => JSON.stringify(body).includes(planted.hooked ?? ''));
      const [first] = ofHooked();
      expect(before).toMatchObject({ sequence: CONTACTS * 2, delayed: 1, commanded: 1, partly: 1, one: 2, two: 1 });
      await backups.restore({ postgres: 'first', temporal: 'second', files: 'second' });
      makeOld(backups.filesFolder);
      expect(await cli('sending', 'pause', '--reason', 'restored')).toMatchObject({
        state: 'paused',
        reason: 'restored',
      });

      const restored = ['repair', '--restored', 'postgres', '--lost-until', lostUntil];
      const seen = await cli(...restored, '--dry-run');
      expect(seen.map(({ mended }: { mended: string }) => mended)).toEqual(seen.map(() => 'none'));
      expect(await cli(...restored, '--dry-run')).toEqual(seen);
      const mended = await cli(...restored);
      const keyOf = ({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`;
      expect(mended.map(keyOf)).toEqual(seen.map(keyOf));
      expect(kindsOf(mended)).toEqual(['ai-turn', 'message-request', 'schedule', 'sequence', 'workflow-run']);
      expect(await cli(...restored)).toEqual([]);
      expect(await cli('files', 'check')).toEqual([
        { kind: 'file without row', org_id: null, key: `${org.id}/${later.file}`, bytes: PNG.length, mended: 'none' },
      ]);
      await cli('repair');
      await backups.startPrograms();

      for (const name of IN_DOUBT) await untilStatus(name, 'unknown');
      expect(await statusOf('partly-later')).toMatchObject({ status: 'queued' });
      const held = await email('after');
      await until('it is queued', async () => (await statusOf('after'))?.status === 'queued');
      expect(await org.call('GET', `/sequences/${planted.sequence}`)).toMatchObject({
        body: { status: 'paused', paused_reason: expect.stringContaining('restored from a backup') },
      });
      expect(await statusesOfRuns()).toEqual(['failed']);
      expect(await turnOf(planted.asked ?? '')).toMatchObject({ state: 'handed_off' });
      const orphans = ['sequence', 'snoozed', 'run'].map((name) => {
        const kind = { sequence: 'sequence', snoozed: 'snooze', run: 'workflow-run' }[name];
        return `${kind}/${later[name]}`;
      });
      await temporalSays(async (client) => {
        await expect(client.schedule.getHandle(`workflow-schedule/${later.cron}`).describe()).rejects.toThrow();
        for (const id of [...orphans, `sla/${later.snoozed}`]) {
          await client.workflow.getHandle(id).signal(WAKE);
          await until(`${id} has ended`, async () => ['COMPLETED', 'FAILED'].includes(await stateIn(client, id)));
        }
      });
      expect([receiver.received.length, mailsTo('after'), outside()]).toEqual([webhooks, 0, before]);

      expect(await cli('sending', 'resume')).toMatchObject({ state: 'running' });
      await until('what was held goes out', async () => mailsTo('after') === 1);
      await until('the webhook goes out', async () => receiver.received.length > webhooks);
      expect(org.mails().filter(({ to }) => to === held)).toHaveLength(1);
      expect(new Set(ofHooked().map(({ id }) => id))).toEqual(new Set([first?.id]));
      expect(outside()).toEqual(before);
    },
    LIMIT_MS,
  );

  it(
    'starts what Temporal has lost when Temporal is older than the database',
    async () => {
      const before = outside();
      await backups.restore({ postgres: 'second', temporal: 'first', files: 'second' });
      const wanted = ['ai-turn', 'message-request', 'sequence', 'snooze', 'workflow-run'];
      expect(await cli('repair', '--restored', 'temporal', '--lost-until', lostUntil)).toEqual([]);
      expect(kindsOf(await cli('repair', '--dry-run'))).toEqual(expect.arrayContaining(wanted));
      expect(kindsOf(await cli('repair'))).toEqual(expect.arrayContaining(wanted));
      await backups.startPrograms();
      const ids = [
        `sequence/${later.sequence}`,
        `snooze/${later.snoozed}`,
        `workflow-run/${later.run}`,
        `email/${later.email}`,
        `ai-turn/${later.asked}`,
      ];
      await temporalSays(async (client) => {
        for (const id of ids)
          await until(`${id} is there`, async () => ['RUNNING', 'COMPLETED'].includes(await stateIn(client, id)));
        await until('the Schedule is set again', () =>
          client.schedule
            .getHandle(`workflow-schedule/${later.cron}`)
            .describe()
            .then(
              () => true,
              () => false,
            ),
        );
        for (const name of ['sequence', 'snoozed'])
          expect(await stateIn(client, `${name === 'sequence' ? name : 'snooze'}/${planted[name]}`)).not.toBe('FAILED');
      });
      await until('the turn is answered', async () => (await turnOf(later.asked ?? ''))?.ended_at instanceof Date);
      expect(outside()).toEqual(before);
    },
    LIMIT_MS,
  );

  it(
    'shows the rows whose files are gone when the files are older than both, and deletes files without rows on demand',
    async () => {
      await backups.restore({ postgres: 'second', temporal: 'second', files: 'first' });
      expect(await cli('files', 'check')).toEqual([
        { kind: 'row without file', org_id: org.id, key: `${org.id}/${later.file}`, bytes: PNG.length, mended: 'none' },
      ]);
      await backups.restore({ postgres: 'first', temporal: 'first', files: 'second' });
      makeOld(backups.filesFolder);
      expect(await cli('files', 'check', '--delete')).toMatchObject([{ kind: 'file without row', mended: 'deleted' }]);
      expect(await cli('files', 'check')).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'sends and calls nothing twice when both databases are restored to the same time',
    async () => {
      const before = outside();
      await backups.restore({ postgres: 'first', temporal: 'first', files: 'second' });
      const mended = await cli('repair', '--restored', 'both', '--lost-until', lostUntil);
      expect(kindsOf(mended)).toEqual(['ai-turn', 'message-request', 'sequence', 'workflow-run']);
      await cli('repair');
      await backups.startPrograms();
      for (const name of IN_DOUBT) await untilStatus(name, 'unknown');
      expect(await statusOf('partly-later')).toMatchObject({ status: 'queued' });
      expect(await statusesOfRuns()).toEqual(['failed']);
      await until('all commands have left', async () => (await org.outbox()) === 0);
      await email('last');
      await untilStatus('last', 'accepted');
      expect(outside()).toEqual(before);
      await org.put(`/sequences/${planted.sequence}/resume`);
      await until('a person has decided', async () => outside().sequence > before.sequence);
    },
    LIMIT_MS,
  );
});
