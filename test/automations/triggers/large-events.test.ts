import { sql } from 'kysely';
import { startRuns } from '../../../src/automations/runs/start-runs.service.ts';
import { startTriggeredRuns } from '../../../src/automations/triggers/trigger-events.service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import type { ClaimedEvent } from '../../../src/outbox/claim.ts';
import { completePastLastStep } from '../../../src/sequences/reconciliation/shared.queries.ts';
import { emailStep } from '../../support/sequences.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { activate } from '../../support/triggers.ts';

/** More receipts than are made at once. */
const CONTACTS = 450;
const LISTENING_RUNS = 250;

/** No worker runs here: the tests call the reactions to events. */
let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await api.createOrg();
});

/** Adds contacts to a new sequence. */
async function newSequence(contacts: number): Promise<string> {
  const { id } = (await org.post('/sequences', { name: 'S', filter: null, steps: [emailStep('1')] })).body;
  const added = Array.from({ length: contacts }, () => ({ email: `${newId()}@example.com` }));
  expect((await org.post(`/sequences/${id}/contacts`, { contacts: added })).status).toBe(201);
  return id;
}

const enrollmentsOf = (sequenceId: string) =>
  api.db
    .selectFrom('enrollments')
    .select(['id', 'contact_id'])
    .$narrowType<{ contact_id: string }>()
    .where('org_id', '=', org.id)
    .where('sequence_id', '=', sequenceId)
    .execute();

/** Starts runs that wait for the end of a sequence. */
async function startListeningRuns(count: number): Promise<void> {
  const inputs = { trigger_type: 'sequence-completed', timeout_minutes: 60 };
  const wait = { $kind: 'Block', type: 'wait-for-event', id: 'end', inputs };
  const { id } = await activate(org, { trigger_type: 'webhook', workflow_blocks: [wait] });
  const event = () => ({ key: newId(), occurredAt: new Date(), depth: 0, output: {} });
  const triggerEvents = Array.from({ length: count }, event);
  await inTransaction(api.db, (trx) =>
    startRuns(trx, org.id, 'webhook', { triggerEvents, cause: 'automatic', only: id }),
  );
}

it('one event of many contacts reaches many waiting runs, and starts a run for each contact', async () => {
  const { id } = await activate(org, { trigger_type: 'sequence-completed' });
  const sequenceId = await newSequence(CONTACTS);
  await startListeningRuns(LISTENING_RUNS);
  const enrollments = await enrollmentsOf(sequenceId);
  const event: ClaimedEvent<'sequence-completed'> = {
    id: 1,
    org_id: org.id,
    type: 'sequence-completed',
    subject_id: sequenceId,
    payload: { enrollments },
    depth: 0,
    created_at: new Date(),
  };
  for (let repeats = 0; repeats < 2; repeats++)
    await inTransaction(api.db, (trx) => startTriggeredRuns(trx, org.id, [event]));
  const { rows } = await sql<object>`
    select (select count(*) from automation_received_events where org_id = ${org.id})::integer as received,
      (select count(distinct trigger_key) from automation_runs where org_id = ${org.id} and automation_id = ${id})::integer as started
  `.execute(api.db);
  expect(rows).toEqual([{ received: CONTACTS * LISTENING_RUNS, started: CONTACTS }]);
});

it('contacts that complete a sequence together are announced in events of ten', async () => {
  await activate(org, { trigger_type: 'sequence-completed' });
  const sequenceId = await newSequence(25);
  const enrollments = await enrollmentsOf(sequenceId);
  await completePastLastStep(api.db, org.id, sequenceId, [{ after: null, next: null }]);
  const events = await api.db
    .selectFrom('outbox')
    .select('payload')
    .where('org_id', '=', org.id)
    .where('type', '=', 'sequence-completed')
    .execute();
  const announced = events.map(({ payload }) => (payload as { enrollments: { id: string }[] }).enrollments);
  expect(announced.map(({ length }) => length).toSorted()).toEqual([10, 10, 5].toSorted());
  expect(
    announced
      .flat()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(enrollments.map(({ id }) => id).toSorted());
});
