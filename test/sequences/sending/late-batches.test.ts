import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { advancePastStep } from '../../../src/sequences/sending/queries.ts';
import { attemptsOf, type PreparedAttempt } from '../../support/batches.ts';
import { createSequence } from '../../support/channels.ts';
import { emailStep } from '../../support/sequences.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

const SENT = { kind: 'accepted', providerId: '<sent@acme.example>' } as const;

describe('a batch that comes late, when its contacts have gone on,', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  let world: Awaited<ReturnType<typeof goneOn>>;
  beforeEach(async () => {
    world = await goneOn();
  });

  /** A contact that has got One and Two and waits for Three, and the batch of One, of which it was before. */
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
  /** Has One be not sent yet after all, as if it had been put in while they went on by it. */
  const forgetOne = ({ steps }: typeof world) =>
    api.db.deleteFrom('deliveries').where('org_id', '=', api.org.id).where('step_id', '=', steps[0].id).execute();

  it('moves nobody back behind a step whose send was settled', async () => {
    expect(await world.begin(world.late)).toEqual([]);
    await world.unchanged();
  });

  it('moves nobody behind a step that is left out for them', async () => {
    await api.org.post('/blocklist/contacts', { email: world.email });
    await forgetOne(world);
    const before = await world.readEnrollments();
    expect(await world.begin(world.late)).toEqual([]);
    expect(await world.readEnrollments()).toEqual(before);
  });

  it('ends nobody by a gate of a step that they are past', async () => {
    await forgetOne(world);
    const before = await world.readEnrollments();
    expect(await world.begin(world.late, { staysWhile: sql<boolean>`false` })).toEqual([]);
    expect(await world.readEnrollments()).toEqual(before);
  });

  it('passes only those who still stand before the step', async () => {
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
