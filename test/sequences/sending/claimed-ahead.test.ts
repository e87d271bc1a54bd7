import { randomUUID } from 'node:crypto';
import { beginThrough } from '../../../src/sequences/sending/queries.ts';
import { attemptsOf, type PreparedAttempt } from '../../support/batches.ts';
import { createSequence } from '../../support/channels.ts';
import { emailStep } from '../../support/sequences.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { activate } from '../../support/triggers.ts';

const CONTACTS = 4;
const SENT = { kind: 'accepted', providerId: '<sent@acme.example>' } as const;

describe('sends that an attempt has claimed ahead', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi({ isInProcess: true });
  });
  afterAll(() => api.close());

  /** An attempt that has claimed the mails of all contacts. */
  const claimAll = async (data: Record<string, unknown> = {}) => {
    const sequenceId = await createSequence(api.org, [emailStep('One', 0, data)]);
    const contacts = Array.from({ length: CONTACTS }, (_, n) => ({ email: `${n}-${sequenceId}@ahead.example` }));
    await api.org.post(`/sequences/${sequenceId}/contacts`, { contacts });
    const attempts = attemptsOf(api, sequenceId);
    const lease = randomUUID();
    const claimed = await attempts.begin((await attempts.take(lease)) as PreparedAttempt, { firstPosition: 1 });
    expect(claimed).toHaveLength(CONTACTS);
    const begin = (position: number, isFirst = false) =>
      beginThrough(api.db, api.org.id, { sequenceId, lease }, { position, isFirst });
    return { ...attempts, sequenceId, claimed, begin };
  };

  it('are unknown after a crash only if they had begun; the others are sent by the next attempt', async () => {
    const { claimed, begin, take, sequenceId, readDeliveries } = await claimAll();
    expect(await begin(2)).toBe(true);

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
    expect(await begin(1)).toBe(true);
    await take(randomUUID());
    expect(await begin(2)).toBe(false);
  });

  it('cannot begin once the sequence is paused, or has a change to apply first', async () => {
    const { begin, sequenceId } = await claimAll();
    expect((await api.org.patch(`/sequences/${sequenceId}`, { steps: [emailStep('Another')] })).status).toBe(200);
    expect([await begin(1), await begin(1, true)]).toEqual([false, true]);
    expect((await api.org.put(`/sequences/${sequenceId}/pause`)).status).toBe(200);
    expect(await begin(2, true)).toBe(false);
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
