import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/transaction.ts';
import { removeContact } from '../../../src/sequences/enrollment/membership.service.ts';
import { advancePastStep } from '../../../src/sequences/sending/queries.ts';
import { attemptsOf, type PreparedAttempt } from '../../support/batches.ts';
import { createSequence } from '../../support/channels.ts';
import { emailStep, timeIn } from '../../support/sequences.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { untilOneWaits } from '../../support/stack/lock-waits.ts';

const SENT = { kind: 'accepted', providerId: '<sent@acme.example>' } as const;

describe('a late batch', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  let world: Awaited<ReturnType<typeof goneOn>>;
  beforeEach(async () => {
    world = await goneOn();
  });

  /** Creates a contact past One and Two waiting for Three, and a batch of One prepared before. */
  const goneOn = async () => {
    const sequenceId = await createSequence(api.org, [emailStep('One'), emailStep('Two'), emailStep('Three', 60)]);
    const email = `${sequenceId}@late.example`;
    await api.org.post(`/sequences/${sequenceId}/contacts`, { contacts: [{ email }] });
    const attempts = attemptsOf(api, sequenceId);
    const late = (await attempts.take(randomUUID())) as PreparedAttempt;
    for (const _ of ['One', 'Two']) {
      const lease = randomUUID();
      await attempts.settle(lease, await attempts.begin((await attempts.take(lease)) as PreparedAttempt), SENT);
    }
    const before = [await attempts.readEnrollments(), await attempts.readDeliveries()] as const;
    const { steps } = (await api.org.get(`/sequences/${sequenceId}`)).body;
    expect(before[0]).toMatchObject([{ last_step_id: steps[1].id, status: 'active' }]);
    const unchanged = async () =>
      expect([await attempts.readEnrollments(), await attempts.readDeliveries()]).toEqual(before);
    return { ...attempts, sequenceId, email, steps, late, unchanged };
  };
  /** Deletes the delivery of One, as if One had been inserted after the contact passed its position. */
  const forgetOne = ({ steps }: typeof world) =>
    api.db.deleteFrom('deliveries').where('org_id', '=', api.org.id).where('step_id', '=', steps[0].id).execute();

  it('does not move advanced contacts back to a step with a settled send', async () => {
    expect(await world.begin(world.late)).toEqual([]);
    await world.unchanged();
  });

  it('does not move advanced contacts back to a step skipped for them', async () => {
    await api.org.post('/blocklist/contacts', { email: world.email });
    await forgetOne(world);
    const before = await world.readEnrollments();
    expect(await world.begin(world.late)).toEqual([]);
    expect(await world.readEnrollments()).toEqual(before);
  });

  it('does not end enrollments by a gate of a step already passed', async () => {
    await forgetOne(world);
    const before = await world.readEnrollments();
    expect(await world.begin(world.late, { staysWhile: sql<boolean>`false` })).toEqual([]);
    expect(await world.readEnrollments()).toEqual(before);
  });

  it('leaves a mail in doubt unknown if it has become too long to be sent again', async () => {
    const body = `<p>${'{{contact.custom_data.a|short}}'.repeat(300)}`;
    const step = emailStep('Long', 0, { email_body: body, email_is_transactional: true });
    const sequenceId = await createSequence(api.org, [step]);
    const email = `${sequenceId}@long.example`;
    await api.org.post(`/sequences/${sequenceId}/contacts`, { contacts: [{ email }] });
    const attempts = attemptsOf(api, sequenceId);
    await attempts.begin((await attempts.take(randomUUID())) as PreparedAttempt); // and is killed
    await api.org.post('/contacts', { contact: { email, custom_data: { a: 'x'.repeat(5_000) } } });
    const next = (await attempts.take(randomUUID())) as PreparedAttempt;
    expect(await attempts.begin(next)).toEqual([]);
    expect(await attempts.begin(next)).toEqual([]); // as after a lost response
    expect(await attempts.readDeliveries()).toMatchObject([
      { status: 'unknown', reason: expect.stringMatching(/^a text has more than/), attempts: 1, lease: null },
    ]);
    expect(await attempts.readEnrollments()).toMatchObject([{ status: 'complete' }]);
  });

  it('ends a send that a gate defers while its contact is being removed', async () => {
    const gates = { quiet_hours: { start: timeIn('UTC', -60), end: timeIn('UTC', 60) } };
    const sequenceId = await createSequence(api.org, [emailStep('Held')], { gates });
    const { id: contactId } = (await api.org.post('/contacts', { contact: { email: `${sequenceId}@gate.example` } }))
      .body;
    await api.org.post(`/sequences/${sequenceId}/contacts`, { contacts: [{ id: contactId }] });
    const attempts = attemptsOf(api, sequenceId);
    const taken = (await attempts.take(randomUUID())) as PreparedAttempt;
    let begun: Promise<string[]> | undefined;
    await inTransaction(api.db, async (trx) => {
      await removeContact(trx, api.org.id, sequenceId, contactId);
      begun = attempts.begin(taken);
      await untilOneWaits(api.db);
    });
    expect(await begun).toEqual([]);
    expect(await attempts.readDeliveries()).toMatchObject([
      { status: 'canceled', reason: 'removed from the sequence' },
    ]);
  });

  it('advances only contacts still before the step', async () => {
    const { sequenceId, steps, unchanged, readEnrollments } = world;
    const pass = async (positions: string[]) => {
      const ids = (await readEnrollments()).map(({ id }) => id);
      await advancePastStep(api.db, api.org.id, { stepId: steps[2].id, positions }, ids);
    };
    await pass([sequenceId, steps[0].id]);
    await unchanged();
    await pass([steps[1].id]);
    expect(await readEnrollments()).toMatchObject([{ last_step_id: steps[2].id, status: 'complete' }]);
  });
});
