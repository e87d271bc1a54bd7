import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { inTransaction } from '../../src/db/transaction.ts';
import { addMember } from '../../src/orgs/members/service.ts';
import { deleteEndpointRemains, deleteOldWebhooks } from '../../src/webhooks/maintenance.service.ts';
import { retryDelivery } from '../../src/webhooks/sending/retries.service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { createEndpoint, deliveriesOf } from './endpoints.ts';

let stack: Stack;
let org: TestOrg;
let receiver: WebhookReceiver;

beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.1' } });
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
  receiver = await startWebhookReceiver();
});
afterEach(() => receiver.close());

const saveContact = (name: string) => org.post('/contacts', { contact: { email: `${name}@example.com`, name } });
const onlyContacts = { event_types: ['contact.created'] };
/** More than is held, or recovered, in one step. */
const LARGE_BACKLOG = 2_100;

/** Stores deliveries that nobody sends yet. */
const insertPending = (endpointId: string, count: number) =>
  sql`
    insert into webhook_deliveries (org_id, id, endpoint_id, event_id, event_type, occurred_at, data, status)
    select ${org.id}, gen_random_uuid(), ${endpointId}, gen_random_uuid(), 'contact.created', now(), '{}', 'pending'
    from generate_series(1, ${count}::integer)
  `.execute(stack.db);

async function storedStatuses(endpointId: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*) as count from webhook_deliveries where endpoint_id = ${endpointId} group by status
  `.execute(stack.db);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

const failingFor = (
  endpointId: string,
  { hours, lastFailureHoursAgo }: { hours: number; lastFailureHoursAgo: number },
) =>
  sql`
    update webhook_endpoints set failures = 3, failing_since = now() - ${hours}::integer * interval '1 hour',
      last_failed_at = now() - ${lastFailureHoursAgo}::integer * interval '1 hour'
    where id = ${endpointId}
  `.execute(stack.db);

describe('a delivery', () => {
  it('is sent once, signed by the Standard Webhooks scheme, and shows its try', async () => {
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    const { body: contact } = await saveContact('ann');
    const [delivery] = await deliveriesOf(org, endpoint.id, { delivered: 1 });

    expect(receiver.received).toHaveLength(1);
    expect(receiver.refused).toEqual([]);
    const [webhook] = receiver.received;
    expect(webhook).toMatchObject({
      id: delivery?.id,
      body: {
        type: 'contact.created',
        organization_id: org.id,
        data: { contact: { id: contact.id, name: 'ann', email: 'ann@example.com' } },
      },
    });
    const { body: detail } = await org.get(`/webhooks/${endpoint.id}/deliveries/${delivery?.id}`);
    expect(detail).toMatchObject({ data: webhook?.body.data, attempt_log: [{ number: 1, status: 200, answer: 'ok' }] });
  });

  it('a delivery that fails is tried again after 5 seconds, with the same id and body, and every try is a row', async () => {
    receiver.answer = (_, response) =>
      void response.writeHead(receiver.received.length === 1 ? 503 : 204).end('not now');
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await saveContact('bea');
    const [delivery] = await deliveriesOf(org, endpoint.id, { delivered: 1 });

    const [first, second] = receiver.received;
    expect(receiver.received).toHaveLength(2);
    expect(second).toMatchObject({ id: first?.id, raw: first?.raw });
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(4_400);
    const { body } = await org.get(`/webhooks/${endpoint.id}/deliveries/${delivery?.id}`);
    expect(body.attempt_log).toMatchObject([
      { number: 1, status: 503, answer: 'not now' },
      { number: 2, status: 204, next_attempt_at: null },
    ]);
    expect(body.attempt_log[0].next_attempt_at).not.toBeNull();
  });

  it('a delivery whose commit fails is made again by its event, and sent only when it is stored', async () => {
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await saveContact('first');
    await deliveriesOf(org, endpoint.id, { delivered: 1 });
    const name = `refuse_${endpoint.id.replaceAll('-', '')}`;
    await sql`
      create sequence ${sql.raw(`${name}_tries`)};
      create function ${sql.raw(name)}() returns trigger language plpgsql as $$
      begin perform nextval('${sql.raw(`${name}_tries`)}'); raise 'no commit'; end $$;
      create constraint trigger ${sql.raw(name)} after insert on webhook_deliveries initially deferred
        for each row when (new.endpoint_id = ${sql.lit(endpoint.id)}) execute function ${sql.raw(name)}();
    `.execute(stack.db);
    await saveContact('second');
    await eventually('two failed commits', async () => {
      const { rows } = await sql<{ n: number }>`select last_value as n from ${sql.raw(`${name}_tries`)}`.execute(
        stack.db,
      );
      return (rows[0]?.n ?? 0) >= 2;
    });
    expect(receiver.received).toHaveLength(1);
    await sql`drop function ${sql.raw(name)}() cascade`.execute(stack.db);
    await sql`drop sequence ${sql.raw(`${name}_tries`)}`.execute(stack.db);

    const [, second] = await deliveriesOf(org, endpoint.id, { delivered: 2 });
    expect(receiver.received.map(({ id }) => id).slice(1)).toEqual([second?.id]);
  });

  it('waits for as long as Retry-After says', async () => {
    receiver.answer = (_, response) =>
      void response.writeHead(receiver.received.length === 1 ? 429 : 200, { 'retry-after': '9' }).end();
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await saveContact('cleo');
    await deliveriesOf(org, endpoint.id, { delivered: 1 });
    const [first, second] = receiver.received;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(8_900);
  });

  it('can be sent again, with the same id', async () => {
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await saveContact('dora');
    const [delivery] = await deliveriesOf(org, endpoint.id, { delivered: 1 });
    const { status } = await org.post(`/webhooks/${endpoint.id}/deliveries/${delivery?.id}/resend`);
    expect(status).toBe(200);
    await eventually('the second', () => receiver.received.length === 2);
    expect(receiver.received[1]?.id).toBe(delivery?.id);
  });

  it('a delivery of a session has a number, and no text once the session is redacted', async () => {
    receiver.answer = (_, response) => void response.writeHead(200).end('I keep the SECRETWORD');
    const endpoint = await createEndpoint(org, receiver, {
      event_types: ['conversation.started', 'conversation.contact_response'],
    });
    const { body: session } = await org.post('/chat/sessions', {});
    for (const text of ['the SECRETWORD one', 'the SECRETWORD two'])
      await org.post(`/chat/sessions/${session.id}/send`, { sender: 'contact', message: { type: 'text', text } });
    const deliveries = await deliveriesOf(org, endpoint.id, { delivered: 3 });
    expect(deliveries.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(receiver.received.map(({ body }) => body.sequence).sort()).toEqual([1, 2, 3]);
    expect(JSON.stringify(receiver.received)).toContain('SECRETWORD');

    await org.post('/redaction/session', { sessionId: session.id });
    await eventually('the redaction', async () => {
      const stored = await sql<{ words: string }>`
        select coalesce(string_agg(data::text, ''), '') || (select coalesce(string_agg(answer, ''), '') from webhook_attempts) as words
        from webhook_deliveries`.execute(stack.db);
      return !stored.rows[0]?.words.includes('SECRETWORD');
    });
    const { body } = await org.get(`/webhooks/${endpoint.id}/deliveries/${deliveries[2]?.id}`);
    expect(body.data.session.id).toBe(session.id);
  });

  it('has only ids if its endpoint wants that, or if it would be larger than 20 kB', async () => {
    const thin = await createEndpoint(org, receiver, {
      event_types: ['conversation.contact_response'],
      payload: 'thin',
    });
    const full = await createEndpoint(org, receiver, { event_types: ['conversation.contact_response'] });
    const { body: session } = await org.post('/chat/sessions', {});
    const text = 'long '.repeat(5_000);
    await org.post(`/chat/sessions/${session.id}/send`, { sender: 'contact', message: { type: 'text', text } });
    await deliveriesOf(org, thin.id, { delivered: 1 });
    await deliveriesOf(org, full.id, { delivered: 1 });
    for (const { body } of receiver.received) {
      expect(body.data).toMatchObject({ session_id: session.id, url: `${stack.url}/chat/sessions/${session.id}` });
      expect(body.data).not.toHaveProperty('message');
    }
  });

  it('is deleted 30 days after its event', async () => {
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await saveContact('eve');
    await deliveriesOf(org, endpoint.id, { delivered: 1 });
    await sql`update webhook_deliveries set created_at = now() - interval '31 days' where endpoint_id = ${endpoint.id}`.execute(
      stack.db,
    );
    expect(await deleteOldWebhooks(stack.db)).toBe(1);
    await deliveriesOf(org, endpoint.id, { delivered: 0 });
  });

  it('is deleted after its endpoint, and the endpoint with the last one', async () => {
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await saveContact('finn');
    await deliveriesOf(org, endpoint.id, { delivered: 1 });
    expect((await org.delete(`/webhooks/${endpoint.id}`)).status).toBeLessThan(300);
    while ((await deleteEndpointRemains(stack.db)) > 0);
    const { rows } = await sql`
      select id from webhook_deliveries where endpoint_id = ${endpoint.id}
      union all select id from webhook_endpoints where id = ${endpoint.id}
    `.execute(stack.db);
    expect(rows).toEqual([]);
  });
});

describe('an endpoint', () => {
  it('an endpoint that was disabled holds what happens, and recover sends exactly that', async () => {
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await saveContact('before');
    await deliveriesOf(org, endpoint.id, { delivered: 1 });
    const { body: disabled } = await org.patch(`/webhooks/${endpoint.id}`, { enabled: false });
    expect(disabled).toMatchObject({ state: 'disabled', disabled_because: 'by_hand' });
    const since = new Date().toISOString();
    for (const name of ['h1', 'h2', 'h3']) await saveContact(name);
    const held = (await deliveriesOf(org, endpoint.id, { held: 3 })).filter(({ status }) => status === 'held');

    const path = `/webhooks/${endpoint.id}/recover`;
    expect((await org.post(path, { since })).status).toBe(409);
    expect((await org.post(path, { since, dry_run: true })).body).toMatchObject({ count: 3, by_state: { held: 3 } });
    await org.patch(`/webhooks/${endpoint.id}`, { enabled: true });
    await sleep(500);
    expect(receiver.received).toHaveLength(1);
    expect((await org.post(path, { since })).body).toMatchObject({ count: 3, dry_run: false });
    await deliveriesOf(org, endpoint.id, { delivered: 4 });
    expect(
      receiver.received
        .slice(1)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(held.map(({ id }) => id).sort());
    expect((await org.post(path, { since, dry_run: true })).body.count).toBe(0);
  });

  it('an endpoint is disabled at once, though what it would have got cannot be changed yet', async () => {
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await insertPending(endpoint.id, 3);
    const path = `/webhooks/${endpoint.id}`;
    // A list shows what is older than any open transaction: older than the one below.
    await deliveriesOf(org, endpoint.id, { pending: 3 });
    await inTransaction(stack.db, async (trx) => {
      await sql`select from webhook_deliveries where endpoint_id = ${endpoint.id} for update`.execute(trx);
      expect((await org.patch(path, { enabled: false })).status).toBe(200);
      await deliveriesOf(org, endpoint.id, { held: 3 });
      const statuses = async (status: string) =>
        (await org.get(`${path}/deliveries?status=${status}`)).body.items.length;
      expect([await statuses('held'), await statuses('pending')]).toEqual([3, 0]);
      const counted = await org.post(`${path}/recover`, { since: '2026-01-01T00:00:00Z', dry_run: true });
      expect(counted.body.by_state).toEqual({ held: 3, failed: 0, retrying: 0, pending: 0 });
    });
    await eventually('all held', async () => (await storedStatuses(endpoint.id)).held === 3);
    expect(receiver.received).toEqual([]);
  });

  it('what an endpoint with a large backlog would have got is held before it is enabled, and recovered whole', async () => {
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await insertPending(endpoint.id, LARGE_BACKLOG);
    expect((await org.patch(`/webhooks/${endpoint.id}`, { enabled: false })).status).toBe(200);
    expect((await org.patch(`/webhooks/${endpoint.id}`, { enabled: true })).body).toMatchObject({ state: 'healthy' });
    expect(await storedStatuses(endpoint.id)).toEqual({ held: LARGE_BACKLOG });
    const { body } = await org.post(`/webhooks/${endpoint.id}/recover`, { since: '2026-01-01T00:00:00Z' });
    expect(body).toEqual({
      count: LARGE_BACKLOG,
      by_state: { held: LARGE_BACKLOG, failed: 0, retrying: 0, pending: 0 },
      until: expect.any(String),
      dry_run: false,
    });
    await eventually('all delivered', async () => (await storedStatuses(endpoint.id)).delivered === LARGE_BACKLOG);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(LARGE_BACKLOG);
    expect(receiver.received).toHaveLength(LARGE_BACKLOG);
  });

  it('a dry run counts what a recovery has still to try, of its period alone', async () => {
    const endpoint = await createEndpoint(org, receiver, { ...onlyContacts, enabled: false });
    await insertPending(endpoint.id, LARGE_BACKLOG);
    receiver.answer = () => undefined;
    const path = `/webhooks/${endpoint.id}`;
    await org.patch(path, { enabled: true });
    const since = '2026-01-01T00:00:00Z';
    const until = new Date().toISOString();
    expect((await org.post(`${path}/recover`, { since, until })).body).toMatchObject({ until });
    await saveContact('later');
    const states = ['held', 'failed', 'retrying', 'pending'];
    await eventually('all of it', async () => (await storedStatuses(endpoint.id)).pending === LARGE_BACKLOG + 1);
    const { body } = await org.post(`${path}/recover`, { since, until, states, dry_run: true });
    expect(body).toMatchObject({ count: LARGE_BACKLOG, by_state: { held: 0, pending: LARGE_BACKLOG } });
  });

  it('a recovery says where its period ends, by the clock of the server', async () => {
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    const path = `/webhooks/${endpoint.id}/recover`;
    for (const dry_run of [true, false]) {
      const before = Date.now();
      const { body } = await org.post(path, { since: '2026-01-01T00:00:00Z', dry_run });
      expect(Date.parse(body.until)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(body.until)).toBeLessThanOrEqual(Date.now());
    }
  });

  it('a recovery does not take what waits for its first try: a dry run alone counts it', async () => {
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    const path = `/webhooks/${endpoint.id}/recover`;
    const pending = { since: '2026-01-01T00:00:00Z', states: ['held', 'pending'] };
    const { status, body } = await org.post(path, pending);
    expect(status).toBe(400);
    expect(body.issues).toEqual([{ path: 'body.states', message: expect.stringContaining('leave out `pending`') }]);
    expect((await org.post(path, { ...pending, dry_run: true })).status).toBe(200);
  });

  it('a recovery ends when the endpoint is disabled, and what is left of it stays held', async () => {
    const endpoint = await createEndpoint(org, receiver, { ...onlyContacts, enabled: false });
    await insertPending(endpoint.id, LARGE_BACKLOG);
    receiver.answer = () => undefined; // so that its sender is busy
    await org.patch(`/webhooks/${endpoint.id}`, { enabled: true });
    await org.post(`/webhooks/${endpoint.id}/recover`, { since: '2026-01-01T00:00:00Z' });
    await org.patch(`/webhooks/${endpoint.id}`, { enabled: false });
    await org.patch(`/webhooks/${endpoint.id}`, { enabled: true });
    await sleep(300);
    expect(await storedStatuses(endpoint.id)).toEqual({ held: LARGE_BACKLOG });
  });

  it('an endpoint that answers 410 is disabled, its delivery held, and admins and other endpoints are told', async () => {
    const teller = await startWebhookReceiver();
    const other = await createEndpoint(org, teller, { event_types: ['webhook.disabled'] });
    const roles = stack.db.selectFrom('roles').select('id').where('org_id', '=', org.id).where('name', '=', 'admin');
    const { id: adminRole } = await roles.executeTakeFirstOrThrow();
    await addMember(stack.db, org.id, { email: 'boss@example.com', role_ids: [adminRole] });
    receiver.answer = (_, response) => void response.writeHead(410).end('gone');
    const endpoint = await createEndpoint(org, receiver, { event_types: ['contact.created', 'webhook.disabled'] });
    await saveContact('gone');
    await deliveriesOf(org, endpoint.id, { held: 1 });
    const { body } = await org.get(`/webhooks/${endpoint.id}`);
    expect(body).toMatchObject({ enabled: false, state: 'disabled', disabled_because: 'gone' });
    const told = await eventually('webhook.disabled', () => teller.received[0]);
    expect(told.body.data).toEqual({ endpoint_id: endpoint.id, because: 'gone' });
    const mail = await eventually('the mail', () => stack.sink.mails.find(({ to }) => to === 'boss@example.com'));
    expect(mail.mail.text).toContain(`/webhooks/${endpoint.id}/recover`);
    await deliveriesOf(org, other.id, { delivered: 1 });
    const held = await deliveriesOf(org, endpoint.id, { held: 1 });
    expect(held.map(({ event_type }) => event_type)).toEqual(['contact.created']);
    await teller.close();
  });

  it('an endpoint that fails ten times in a row gets one try at a time, and all once it accepts one', async () => {
    let isDown = true;
    receiver.answer = (_, response) => void response.writeHead(isDown ? 500 : 200).end();
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await org.post('/contacts/batch', {
      contacts: Array.from({ length: 60 }, (_, n) => ({ email: `many${n}@example.com` })),
    });
    await eventually('ten failures', () => receiver.received.length >= 10);
    await sleep(1_500);
    expect(receiver.received.length).toBeLessThan(20);
    expect((await org.get(`/webhooks/${endpoint.id}`)).body.state).toBe('failing');
    isDown = false;
    await deliveriesOf(org, endpoint.id, { delivered: 60 });
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(60);
    expect((await org.get(`/webhooks/${endpoint.id}`)).body.state).toBe('healthy');
  });

  it('an endpoint whose tries have all failed has failed deliveries, which can be recovered', async () => {
    let isDown = true;
    receiver.answer = (_, response) => void response.writeHead(isDown ? 500 : 200).end();
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await saveContact('ten');
    await deliveriesOf(org, endpoint.id, { retrying: 1 });
    await sql`update webhook_deliveries set round_attempts = 9, attempts = 9 where endpoint_id = ${endpoint.id}`.execute(
      stack.db,
    );
    const [failed] = await deliveriesOf(org, endpoint.id, { failed: 1 });
    expect(receiver.received).toHaveLength(2);
    isDown = false;
    const { body } = await org.post(`/webhooks/${endpoint.id}/recover`, { since: '2026-01-01T00:00:00Z' });
    expect(body.by_state).toEqual({ held: 0, failed: 1, retrying: 0, pending: 0 });
    await deliveriesOf(org, endpoint.id, { delivered: 1 });
    expect(receiver.received.map(({ id }) => id)).toEqual([failed?.id, failed?.id, failed?.id]);
  });

  it('an endpoint that has failed for five days is disabled at its next failure', async () => {
    receiver.answer = (_, response) => void response.writeHead(500).end();
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await failingFor(endpoint.id, { hours: 121, lastFailureHoursAgo: 26 });
    await saveContact('late');
    await deliveriesOf(org, endpoint.id, { held: 1 });
    expect((await org.get(`/webhooks/${endpoint.id}`)).body).toMatchObject({ disabled_because: 'failing' });
  });

  it('an endpoint that has failed once and then got nothing for days is not disabled at its next failure', async () => {
    receiver.answer = (_, response) => void response.writeHead(500).end();
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await failingFor(endpoint.id, { hours: 121, lastFailureHoursAgo: 121 });
    await saveContact('rare');
    await deliveriesOf(org, endpoint.id, { retrying: 1 });
    const { body } = await org.get(`/webhooks/${endpoint.id}`);
    expect(body).toMatchObject({ enabled: true, state: 'failing' });
    expect(Date.now() - Date.parse(body.failing_since)).toBeLessThan(60_000);
  });

  it('a retry whose turn at a paced endpoint is far away neither waits for it in its activity nor takes it', async () => {
    receiver.answer = (_, response) => void response.writeHead(500).end();
    const endpoint = await createEndpoint(org, receiver, { ...onlyContacts, max_per_second: 1 });
    await saveContact('patient');
    const [delivery] = await deliveriesOf(org, endpoint.id, { retrying: 1 });
    const { rows } = await sql<{ event_id: string }>`
      with busy as (update webhook_endpoints set next_slot_at = now() + interval '1 minute' where id = ${endpoint.id})
      update webhook_deliveries set next_attempt_at = now() where id = ${delivery?.id} returning event_id
    `.execute(stack.db);
    const slotOf = stack.db.selectFrom('webhook_endpoints').select('next_slot_at').where('id', '=', endpoint.id);
    const before = await slotOf.executeTakeFirstOrThrow();
    const ref = { orgId: org.id, endpointId: endpoint.id, deliveryId: delivery?.id ?? '', delayMs: 0 };
    const { db, egress, secrets } = stack.deps;
    const progress = await retryDelivery({ db, egress, secrets }, { ...ref, eventId: rows[0]?.event_id ?? '' });
    expect(progress.nextInMs).toBeGreaterThanOrEqual(1_000);
    expect(await slotOf.executeTakeFirstOrThrow()).toEqual(before);
    expect(receiver.received).toHaveLength(1);
  });

  it('an ordered endpoint gets a session’s next event when the one before was accepted', async () => {
    let first: string | undefined;
    receiver.answer = (webhook, response) => {
      first ??= webhook.id;
      const isFirstTry = webhook.id === first && receiver.received.filter(({ id }) => id === first).length === 1;
      response.writeHead(isFirstTry ? 500 : 200).end();
    };
    const endpoint = await createEndpoint(org, receiver, {
      ordered: true,
      event_types: ['conversation.contact_response'],
    });
    const { body: session } = await org.post('/chat/sessions', {});
    for (const text of ['1', '2', '3'])
      await org.post(`/chat/sessions/${session.id}/send`, { sender: 'contact', message: { type: 'text', text } });
    await deliveriesOf(org, endpoint.id, { delivered: 3 });
    expect(receiver.received.map(({ body }) => body.sequence)).toEqual([1, 1, 2, 3]);
  });

  it('gets no more requests a second than it wants', async () => {
    const endpoint = await createEndpoint(org, receiver, { ...onlyContacts, max_per_second: 10 });
    await org.post('/contacts/batch', {
      contacts: Array.from({ length: 25 }, (_, n) => ({ email: `paced${n}@example.com` })),
    });
    await deliveriesOf(org, endpoint.id, { delivered: 25 });
    const times = receiver.received.map(({ at }) => at);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(2_200);
  });

  it('an endpoint whose secret is rotated gets signatures by both secrets for a while', async () => {
    const endpoint = await createEndpoint(org, receiver);
    const { body } = await org.post(`/webhooks/${endpoint.id}/rotate-secret`, { grace_hours: 1 });
    expect(body.secret).not.toBe(endpoint.secret);
    const test = await org.post(`/webhooks/${endpoint.id}/test`);
    const webhook = await eventually('the test', () => receiver.received[0]);
    expect(webhook).toMatchObject({ id: test.body.delivery_id, body: { type: 'webhook.test' } });
    expect(String(webhook.headers['webhook-signature']).split(' ')).toHaveLength(2);

    receiver.secrets.splice(0, 1, body.secret);
    const { body: last } = await org.post(`/webhooks/${endpoint.id}/rotate-secret`, { grace_hours: 0 });
    receiver.secrets.splice(0, 1, last.secret);
    await org.post(`/webhooks/${endpoint.id}/test`);
    const second = await eventually('the second test', () => receiver.received[1]);
    expect(String(second.headers['webhook-signature']).split(' ')).toHaveLength(1);
  });

  it('keeps the signature of a secret until its time, whatever is rotated meanwhile', async () => {
    const endpoint = await createEndpoint(org, receiver);
    const rotate = (grace_hours: number) => org.post(`/webhooks/${endpoint.id}/rotate-secret`, { grace_hours });
    expect((await rotate(24)).status).toBe(200); // the answer is lost on its way
    const { body } = await rotate(1);
    const hoursLeft = (Date.parse(body.old_secret_until) - Date.now()) / 3_600_000;
    expect(Math.round(hoursLeft)).toBe(1);
    await org.post(`/webhooks/${endpoint.id}/test`);
    const webhook = await eventually('the test, signed by the first secret', () => receiver.received[0]);
    expect(String(webhook.headers['webhook-signature']).split(' ')).toHaveLength(3);

    for (let n = 0; n < 3; n++) await rotate(24);
    const refusal = await rotate(24);
    expect([refusal.status, refusal.body.message]).toEqual([409, expect.stringContaining('grace_hours')]);
    expect((await rotate(0)).body.old_secret_until).toBeNull();
  });

  it('keeps its headers secret, also when the receiver repeats them', async () => {
    const token = 'Bearer topsecret-header-value';
    receiver.answer = ({ headers }, response) =>
      void response.writeHead(500).end(`you sent ${headers.authorization} and topsecret-header-value`);
    const endpoint = await createEndpoint(org, receiver, { ...onlyContacts, headers: { Authorization: token } });
    expect((await org.get(`/webhooks/${endpoint.id}`)).body.headers).toEqual({ Authorization: '***' });
    await saveContact('fay');
    const [delivery] = await deliveriesOf(org, endpoint.id, { retrying: 1 });
    expect(receiver.received[0]?.headers.authorization).toBe(token);
    const shown = JSON.stringify((await org.get(`/webhooks/${endpoint.id}/deliveries/${delivery?.id}`)).body);
    expect(shown).toContain('you sent ***');
    expect(shown).not.toContain('topsecret');
    const { rows } = await sql<{
      row: string;
    }>`select endpoint::text as row from webhook_endpoints as endpoint`.execute(stack.db);
    expect(JSON.stringify(rows)).not.toContain('topsecret');
    expect(JSON.stringify(rows)).not.toContain(endpoint.secret.slice('whsec_'.length));
    const kept = await org.patch(`/webhooks/${endpoint.id}`, { headers: { Authorization: '***', 'x-new': 'value' } });
    expect(kept.body.headers).toEqual({ Authorization: '***', 'x-new': '***' });
  });

  it.each(['x-other', 'constructor'])('cannot keep the value of a header that it does not have: %s', async (name) => {
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    const { status, body } = await org.patch(`/webhooks/${endpoint.id}`, { headers: { [name]: '***' } });
    expect({ status, path: body.issues[0].path }).toEqual({ status: 400, path: `body.headers.${name}` });
    expect(JSON.stringify(body)).toContain('give its value');
  });

  it('the headers of an endpoint are not sent to another scheme, host or port than they were given for', async () => {
    const url = 'https://93.184.216.34/hooks';
    const { body } = await org.post('/webhooks', { ...onlyContacts, url, headers: { Authorization: 'Bearer mine' } });
    const change = (to: object) => org.patch(`/webhooks/${body.id}`, to);
    for (const moved of ['http://93.184.216.34/hooks', 'https://93.184.216.35/hooks', 'https://93.184.216.34:8443/']) {
      for (const headers of [undefined, { Authorization: '***' }, { Authorization: '***', 'x-new': 'value' }]) {
        const answer = await change({ url: moved, headers });
        expect({ status: answer.status, message: answer.body.issues?.[0].message }).toEqual({
          status: 400,
          message: expect.stringContaining('send'),
        });
      }
    }
    expect((await org.get(`/webhooks/${body.id}`)).body).toMatchObject({ url, headers: { Authorization: '***' } });
    expect((await change({ url: 'https://93.184.216.34:443/other' })).status).toBe(200);
    expect((await change({ url: 'https://93.184.216.35/', headers: { Authorization: 'Bearer new' } })).status).toBe(
      200,
    );
    expect((await change({ url: 'https://93.184.216.36/', headers: {} })).body.headers).toEqual({});
    expect((await change({ url: 'https://93.184.216.37/' })).status).toBe(200);
  });

  it('can neither be at a private address nor carry a password', async () => {
    for (const url of [
      'http://10.0.0.1/hooks',
      'http://169.254.169.254/latest',
      'http://[::1]/',
      'ftp://example.com/',
      'https://a:b@example.com/',
    ]) {
      const { status, body } = await org.post('/webhooks', { url });
      expect({ url, status }).toEqual({ url, status: 400 });
      expect(body.issues[0].path).toBe('body.url');
    }
  });

  it('does not follow redirects, and reads no more of an answer than its first kilobyte', async () => {
    let answered = 0;
    receiver.answer = (_, response) => {
      if (receiver.received.length === 1)
        return void response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end();
      response.writeHead(200);
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      const pump = () => {
        while (answered < 1024 && !response.destroyed && response.write(chunk)) answered++;
        if (answered < 1024 && !response.destroyed) response.once('drain', pump);
      };
      pump();
      return undefined;
    };
    const endpoint = await createEndpoint(org, receiver, onlyContacts);
    await saveContact('gil');
    const [delivery] = await deliveriesOf(org, endpoint.id, { delivered: 1 });
    const { body } = await org.get(`/webhooks/${endpoint.id}/deliveries/${delivery?.id}`);
    expect(body.attempt_log).toMatchObject([{ status: 302 }, { status: 200 }]);
    expect(body.attempt_log[1].answer).toHaveLength(1024);
    expect(receiver.received).toHaveLength(2);
    expect(answered).toBeLessThan(100);
  });

  it('an endpoint of another org is not found', async () => {
    const endpoint = await createEndpoint(org, receiver);
    for (const answer of [
      await stack.other.get(`/webhooks/${endpoint.id}`),
      await stack.other.patch(`/webhooks/${endpoint.id}`, { enabled: false }),
      await stack.other.post(`/webhooks/${endpoint.id}/test`),
      await stack.other.get(`/webhooks/${endpoint.id}/deliveries`),
      await stack.other.delete(`/webhooks/${endpoint.id}`),
    ])
      expect(answer.status).toBe(404);
  });
});
