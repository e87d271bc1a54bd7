import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { IS_SENDING_PAUSED, pauseSending, resumeSending } from '../../../src/deliveries/pause/service.ts';
import type { MessageSender } from '../../../src/deliveries/sending/message-sender.ts';
import { sendRequested } from '../../../src/deliveries/sending/requested-sends.service.ts';
import { SendingPaused } from '../../../src/deliveries/sending/send-batch.service.ts';
import { newId } from '../../../src/ids.ts';
import { createOutages } from '../../../src/sequences/sending/outages.ts';
import { beginThrough } from '../../../src/sequences/sending/queries.ts';
import { sendDueSteps } from '../../../src/sequences/sending/send-due-steps.service.ts';
import { attemptsOf, type PreparedAttempt } from '../../support/batches.ts';
import { createSequence } from '../../support/channels.ts';
import { emailStep } from '../../support/sequences.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';
import { activate } from '../../support/triggers.ts';

const CONTACTS = 4;
const SENT = { kind: 'accepted', providerId: '<sent@acme.example>' } as const;

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ isInProcess: true });
});
afterAll(() => api.close());

describe('sends that an attempt has claimed ahead', () => {
  /** An attempt that has claimed the mails of all contacts. */
  const claimAll = async (data: Record<string, unknown> = {}) => {
    const sequenceId = await createSequence(api.org, [emailStep('One', 0, data)]);
    const contacts = Array.from({ length: CONTACTS }, (_, n) => ({ email: `${n}-${sequenceId}@ahead.example` }));
    await api.org.post(`/sequences/${sequenceId}/contacts`, { contacts });
    const attempts = attemptsOf(api, sequenceId);
    const lease = randomUUID();
    const claimed = await attempts.begin((await attempts.take(lease)) as PreparedAttempt, { firstPosition: 1 });
    expect(claimed).toHaveLength(CONTACTS);
    const addresses = new Map((await attempts.readDeliveries()).map(({ id, to }) => [id, to ?? '']));
    const sends = claimed.map((deliveryId) => ({ deliveryId, to: addresses.get(deliveryId) ?? '' }));
    const rule = {
      channel: 'email' as const,
      isTransactional: data.email_is_transactional === true,
      isSendingPaused: IS_SENDING_PAUSED,
    };
    const begin = (position: number, isFirst = false) =>
      beginThrough(
        api.db,
        api.org.id,
        { sequenceId, lease },
        { ...rule, sends: sends.slice(0, position), position, isFirst },
      );
    return { ...attempts, sequenceId, sends, claimed, begin };
  };

  it('are unknown after a crash only if they had begun; the others are sent by the next attempt', async () => {
    const { claimed, begin, take, sequenceId, readDeliveries } = await claimAll();
    expect(await begin(2)).toEqual([]);

    const next = (await take(randomUUID())) as PreparedAttempt;

    const deliveries = await readDeliveries();
    const statusOf = new Map(deliveries.map(({ id, status, attempts: tries }) => [id, [status, tries]]));
    expect(claimed.map((id) => statusOf.get(id))).toEqual([
      ['unknown', 1],
      ['unknown', 1],
      ['queued', 0],
      ['queued', 0],
    ]);
    const sent = await attemptsOf(api, sequenceId).begin(next);
    expect(sent.toSorted()).toEqual(claimed.slice(2).toSorted());
  });

  it('are all sent after a crash before any began, also transactional ones', async () => {
    const { claimed, take, readDeliveries } = await claimAll({ email_is_transactional: true });
    await take(randomUUID());
    const deliveries = await readDeliveries();
    expect(deliveries.map(({ status, may_have_gone }) => [status, may_have_gone])).toEqual(
      claimed.map(() => ['queued', false]),
    );
  });

  it('cannot begin once another attempt has replaced theirs', async () => {
    const { begin, take } = await claimAll();
    expect(await begin(1)).toEqual([]);
    await take(randomUUID());
    expect(await begin(2)).toBeUndefined();
  });

  it('cannot begin once the sequence is paused, or has a change to apply first', async () => {
    const { begin, sequenceId } = await claimAll();
    expect((await api.org.patch(`/sequences/${sequenceId}`, { steps: [emailStep('Another')] })).status).toBe(200);
    expect([await begin(1), await begin(1, true)]).toEqual([undefined, []]);
    expect((await api.org.put(`/sequences/${sequenceId}/pause`)).status).toBe(200);
    expect(await begin(2, true)).toBeUndefined();
  });

  it('cannot begin while the operator has paused all sending', async () => {
    const { begin } = await claimAll();
    await pauseSending(api.db, 'restore');
    expect([await begin(1), await begin(1, true)]).toEqual([undefined, undefined]);
    await resumeSending(api.db);
    expect(await begin(1)).toEqual([]);
  });

  it.each([
    ['are withheld from who has opted out', 'unsubscribed', false, true],
    ['go to who has opted out if they are transactional', 'unsubscribed', true, false],
    ['are withheld from an address that bounces also if they are transactional', 'bounced', true, true],
  ] as const)('%s', async (_, reason, isTransactional, isWithheld) => {
    const { begin, claimed, sends } = await claimAll({ email_is_transactional: isTransactional });
    const [{ to: address } = { to: '' }] = sends;
    const suppression = { org_id: api.org.id, id: newId(), channel: 'email' as const, address, reason };
    await api.db.insertInto('suppressions').values(suppression).execute();
    expect(await begin(CONTACTS)).toEqual(isWithheld ? claimed.slice(0, 1) : []);
  });

  it('complete their enrollments without an event while nobody waits for it', async () => {
    const { claimed, settle, sequenceId, readDeliveries } = await claimAll();
    const [{ lease } = { lease: null }] = await readDeliveries();
    const events = () =>
      api.db
        .selectFrom('outbox')
        .select('id')
        .where('subject_id', '=', sequenceId)
        .where('type', '=', 'sequence-completed')
        .execute();
    await settle(lease ?? '', claimed.slice(0, 2), SENT);
    expect((await events()).length).toBe(0);

    const workflow = { trigger_type: 'sequence-completed', workflow_blocks: [] };
    await activate(api.org, workflow);
    await settle(lease ?? '', claimed.slice(2), SENT);
    expect((await events()).length).toBe(1);
  });
});

it('a pause of all sending holds back the sends of a request that have not begun', async () => {
  const recipients = Array.from({ length: 20 }, (_, n) => ({ to_email: `${n}@pause.example` }));
  const mail = { fallback_email_subject: 'Hi', fallback_email_body: 'Hello', from_email: 'hello@acme.example' };
  const { data } = (await api.org.post('/email', { ...mail, recipients })).body;
  const delivery = api.db.selectFrom('deliveries').where('id', '=', data[0].id);
  const { email_request_id } = await delivery.select('email_request_id').executeTakeFirstOrThrow();
  const sender: MessageSender = {
    provider: 'smtp',
    fromAddress: null,
    concurrency: 2,
    pool: {},
    async send() {
      await pauseSending(api.db, 'restore');
      return SENT;
    },
  };
  const deps = { db: api.db, senders: { of: async () => sender, close() {} }, isStopped: () => false };
  const work = () => sendRequested(deps, api.org.id, { requestId: email_request_id ?? '' }, 'email');

  expect(await work()).toEqual({ hasMore: true, nextDueInMs: 0 });
  const { items } = (await api.org.get('/deliveries?status=queued&limit=100')).body;
  expect(items.length).toBeGreaterThan(recipients.length - 5);
  await expect(work()).rejects.toBeInstanceOf(SendingPaused);
  await resumeSending(api.db);
});

it('who opts out after the claim of a mail, and before it begins, does not get it', async () => {
  const sequenceId = await createSequence(api.org, [emailStep('One')]);
  const contacts = Array.from({ length: 200 }, (_, n) => ({ email: `${n}@late.example` }));
  await api.org.post(`/sequences/${sequenceId}/contacts`, { contacts });
  const sent: string[] = [];
  const optOutLast = async () => {
    const to = await eventually('a mail that is claimed and behind the groups that begin meanwhile', async () => {
      const { rows } = await sql<{ to: string }>`
        select "to" from deliveries join sequence_attempts as attempt using (org_id, sequence_id, lease)
        where sequence_id = ${sequenceId} and lease_position > begun_through + 50 order by lease_position desc limit 1
      `.execute(api.db);
      return rows[0]?.to;
    });
    await api.org.post('/suppressions', { channel: 'email', address: to });
    return to;
  };
  let optingOut: Promise<string> | undefined;
  const sender: MessageSender = {
    provider: 'smtp',
    fromAddress: null,
    concurrency: 2,
    pool: {},
    async send({ to }) {
      sent.push(to);
      if (sent.length >= 100) optingOut ??= optOutLast();
      await optingOut;
      return SENT;
    },
  };
  const senders = { of: async () => sender, close() {} };
  const deps = { db: api.db, senders, isStopped: () => false, outages: createOutages() };
  const { state } = await sendDueSteps(deps, { orgId: api.org.id, sequenceId });

  const optedOut = (await optingOut) ?? '';
  expect([state, sent.length, sent.includes(optedOut)]).toEqual(['active', contacts.length - 1, false]);
  const { items } = (await api.org.get(`/deliveries?sequence_id=${sequenceId}&status=suppressed`)).body;
  expect(items).toMatchObject([{ to: optedOut, reason: 'manual', attempts: 0 }]);
});
