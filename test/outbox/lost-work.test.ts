import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { inTransaction } from '../../src/db/transaction.ts';
import { requestExtraction } from '../../src/insights/extraction/requests.service.ts';
import { repair } from '../../src/repair/repair.ts';
import { APP } from '../crm/webhook-deliveries.ts';
import { resolvedSaying } from '../insights/support.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { createDesk } from '../support/desk.ts';
import { startFakeEmbeddings } from '../support/fakes/embeddings.ts';
import { unavailable } from '../support/fakes/faulty-server.ts';
import { type FakeHubspot, startFakeHubspot } from '../support/fakes/hubspot/server.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

/** An attempt that has begun before its workflow was lost fails within this time. */
const IN_FLIGHT_MS = 700;

let stack: Stack;
let hubspot: FakeHubspot;
beforeAll(async () => {
  hubspot = await startFakeHubspot();
  hubspot.oauth.grant = { client_id: APP.HUBSPOT_CLIENT_ID, client_secret: 'theirs', refresh_token: 'refresh' };
  stack = await startStack({ env: { ...APP, ...FAKES_ALLOWED, HUBSPOT_BASE_URL: hubspot.url } });
});
afterAll(async () => {
  await hubspot.close();
  await stack.close();
});

const handleOf = (workflowId: string) => stack.temporal.workflow.getHandle(workflowId);
const stateOf = (workflowId: string) =>
  handleOf(workflowId)
    .describe()
    .then(
      ({ status }) => status.name,
      () => 'ABSENT',
    );
const isRunning = (workflowId: string) =>
  eventually(`${workflowId} to run`, async () => (await stateOf(workflowId)) === 'RUNNING');
const hasEnded = (workflowId: string) =>
  eventually(`the end of ${workflowId}`, async () => (await stateOf(workflowId)) === 'COMPLETED');

const waitingIn = async (org: TestOrg) =>
  (await stack.db.selectFrom('outbox').select('id').where('org_id', '=', org.id).execute()).length;

/** Makes Temporal forget a workflow once all that has happened in its org has been reacted to. */
async function lose(org: TestOrg, workflowId: string) {
  await isRunning(workflowId);
  await eventually('nothing to react to', async () => (await waitingIn(org)) === 0);
  await stack.temporal.workflowService.deleteWorkflowExecution({
    namespace: stack.config.TEMPORAL_NAMESPACE,
    workflowExecution: { workflowId },
  });
  await eventually('the deletion', async () => (await stateOf(workflowId)) === 'ABSENT');
}

/** Has changes of a table fail while something is done. */
async function whileBroken(table: string, when: string, act: () => Promise<unknown>) {
  await sql
    .raw(`
      create function break() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger break before insert or update on ${table} for each row when (${when}) execute function break();
    `)
    .execute(stack.db);
  try {
    await act();
    await sleep(IN_FLIGHT_MS);
  } finally {
    await sql`drop function break cascade`.execute(stack.db);
  }
}

const repaired = async (org: TestOrg, isDryRun: boolean) =>
  (await repair(stack.db, stack.temporal, { isDryRun }))
    .filter(({ org_id }) => org_id === org.id)
    .map(({ kind, id, temporal, mended }) => [kind, id, temporal, mended]);

/** Expects the repair to list what is lost, and to mend it. */
async function isMended(org: TestOrg, kind: string, id: string) {
  expect(await repaired(org, true)).toEqual([[kind, id, 'absent', 'none']]);
  expect(await repaired(org, false)).toEqual([[kind, id, 'absent', 'resumed']]);
}
const isAllRight = async (org: TestOrg) => expect(await repaired(org, false)).toEqual([]);

const dueWork = async (org: TestOrg) =>
  (await stack.db.selectFrom('due_work').selectAll().where('org_id', '=', org.id).execute()).length;

/** Waits until all that has happened in an org has been reacted to, and nothing is due. */
const isSettled = (org: TestOrg) =>
  eventually('nothing due', async () => (await waitingIn(org)) === 0 && (await dueWork(org)) === 0);

const hasStatements = async (sessionId: string) =>
  (await stack.db.selectFrom('insight_statements').select('id').where('session_id', '=', sessionId).execute()).length >
  0;

it('an SLA clock that a lost signal was to start runs, though no clock ran towards a target before', async () => {
  const org = await stack.createOrg();
  const policy = (await org.post('/sla/policies', { name: 'Gold', next_reply_target_seconds: 3_600 })).body;
  await org.put(`/sla/policies/${policy.id}/assignment`, {});
  const { id } = (await org.post('/chat/sessions', {})).body;
  const say = (sender: 'contact' | 'agent') =>
    org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text: 'Hello' } });
  const nextAt = async () =>
    (await stack.db.selectFrom('session_slas').select('next_at').where('session_id', '=', id).executeTakeFirst())
      ?.next_at;
  await eventually('the policy', async () => (await nextAt()) !== undefined);
  await say('contact');
  await say('agent');
  await isSettled(org);
  expect(await nextAt()).toBeNull();
  await hasEnded(`sla/${id}`);
  await isAllRight(org);

  await whileBroken('session_slas', `new.session_id = '${id}'`, async () => {
    await say('contact');
    await lose(org, `sla/${id}`);
  });
  expect(await nextAt()).toBeNull();
  await isMended(org, 'sla', id);
  await eventually('a time', async () => (await nextAt()) instanceof Date);
  await isRunning(`sla/${id}`);
  await isAllRight(org);
  const { clocks } = (await org.get(`/chat/sessions/${id}/sla`)).body;
  expect(clocks.filter((clock: { due_at: string | null }) => clock.due_at !== null)).toHaveLength(1);
});

it('a session that waits is assigned although the assignment is lost, and waiting for nobody is no loss', async () => {
  const org = await stack.createOrg();
  await org.patch('/org/settings', { member_capacity: 1 });
  const desk = createDesk(stack, org);
  const [member] = await desk.join(1);
  const team = await desk.team('round-robin', [member as number]);
  const workflowId = `assignment/${org.id}`;
  const [first, second] = (await desk.come(team, 2)) as [string, string];
  expect([await desk.assigneeOf(first), await desk.assigneeOf(second)]).toEqual([member, null]);
  await isSettled(org);
  await hasEnded(workflowId);
  await isAllRight(org);

  await whileBroken('sessions', `new.id = '${second}' and new.assignee_id is not null`, async () => {
    await org.patch(`/chat/sessions/${first}`, { status: 'closed_resolved' });
    await lose(org, workflowId);
  });
  expect(await desk.assigneeOf(second)).toBeNull();
  expect(await dueWork(org)).toBeGreaterThan(0);
  await isMended(org, 'assignment', org.id);
  await eventually('an assignee', async () => (await desk.assigneeOf(second)) === member);
  await hasEnded(workflowId);
  expect(await desk.joinsBySession()).toEqual([1, 1]);
  await isAllRight(org);
});

it('an assignment that waits for office hours waits again after it was lost', async () => {
  const org = await stack.createOrg();
  const desk = createDesk(stack, org);
  const timeOfDay = (inMs: number) => new Date(Date.now() + inMs).toISOString().slice(11, 19);
  const shift = { day_of_week: 'everyday', start_time: timeOfDay(7_200_000), end_time: timeOfDay(10_800_000) };
  const { id } = (await org.post('/office-hours', { name: 'Hours', iana_timezone: 'UTC', shifts: [shift] })).body;
  const team = await desk.team('round-robin', await desk.join(1), { support_office_hours_id: id });
  await desk.come(team, 1);
  const workflowId = `assignment/${org.id}`;
  await lose(org, workflowId);
  await isMended(org, 'assignment', org.id);
  await isRunning(workflowId);
  await isAllRight(org);
});

it('knowledge gets its vectors although the embedding is lost, each once', async () => {
  const org = await stack.createOrg();
  const fake = await startFakeEmbeddings();
  await org.put('/integrations/llm', { provider: 'openai-compatible', settings: fake.settings });
  await isSettled(org);
  await whileBroken('knowledge_embeddings', 'true', async () => {
    await org.post('/training', { title: 'Young ones', content: 'A kitten eats four times a day.' });
    await lose(org, `knowledge-embedding/${org.id}`);
  });
  const asked = fake.asked.length;
  await isMended(org, 'embedding', org.id);
  const vectors = () =>
    stack.db.selectFrom('knowledge_embeddings').select('model').where('org_id', '=', org.id).execute();
  await eventually('a vector', async () => (await vectors()).length === 1);
  await hasEnded(`knowledge-embedding/${org.id}`);
  expect([fake.asked.length - asked, await dueWork(org)]).toEqual([1, 0]);
  await isAllRight(org);
  await fake.close();
});

it.each([
  ['before', 'insight_extractions', 'true'],
  ['after', 'insight_statements', 'new.insight_id is not null'],
])(
  'what a customer said is in one insight although its extraction is lost %s it is stored',
  async (when, table, change) => {
    const org = await stack.createOrg();
    const { id } = (await org.post('/chat/sessions', {})).body;
    const text = 'My parcel has not arrived although it was sent two weeks ago';
    await org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text } });
    const numberOf = async () =>
      (await stack.db.selectFrom('due_work').select('number').where('subject_id', '=', id).executeTakeFirst())?.number;
    let workflowId = '';
    await whileBroken(table, `new.session_id = '${id}' and ${change}`, async () => {
      await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
      const number = await eventually('the request', numberOf);
      workflowId = `insight-extraction/${id}/${number}`;
      if (when === 'after') await eventually('statements', () => hasStatements(id));
      await lose(org, workflowId);
    });
    await isMended(org, 'insight-extraction', id);
    await hasEnded(workflowId);
    const { data } = (await org.post('/insights', {})).body;
    expect(data.map((one: { occurrence_count: number }) => one.occurrence_count)).toEqual([1]);
    expect(await dueWork(org)).toBe(0);
    await isAllRight(org);
  },
);

it('a session without a new event since its extraction is not due again', async () => {
  const org = await stack.createOrg();
  const id = await resolvedSaying(stack, org, 'The lamp that I bought in May is broken');
  await isSettled(org);
  await inTransaction(stack.db, (trx) => requestExtraction(trx, org.id, [{ subject_id: id }]));
  expect(await dueWork(org)).toBe(0);
});

it('the account of a portal is confirmed although its confirmation is lost', async () => {
  const org: TestOrg = await stack.createOrg();
  hubspot.account.portalId = 5_001;
  hubspot.next('GET', '/account-info/v3/details', unavailable('3600'));
  const connection = () =>
    stack.db
      .selectFrom('integrations')
      .select(['account_id', 'updated_at'])
      .where('org_id', '=', org.id)
      .where('kind', '=', 'crm')
      .executeTakeFirstOrThrow();
  await org.put('/integrations/crm', {
    provider: 'hubspot',
    settings: { base_url: hubspot.url, portal_id: 5_001, oauth: hubspot.oauth.grant },
  });
  const asOf = (await connection()).updated_at.getTime();
  await eventually('the request', () => hubspot.requests('GET', '/account-info/v3/details').length === 1);
  await lose(org, `crm-account/${org.id}/${asOf}`);
  await isMended(org, 'crm-account', org.id);
  await eventually('the account', async () => (await connection()).account_id === '5001');
  await hasEnded(`crm-account/${org.id}/${asOf}`);
  await isAllRight(org);
});
