import { newId } from '../../src/ids.ts';
import { repair } from '../../src/repair/repair.ts';
import { type SignedIn, signIn } from '../sign-in/signing-in.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

let stack: Stack;
let admin: SignedIn;
beforeAll(async () => {
  stack = await startStack();
  admin = await signIn(stack, 'admin');
});
afterAll(() => stack.close());

const insert = async (status: 'unknown' | 'sent', channel: 'email' | 'sms' = 'email', org: TestOrg = stack.org) => {
  const id = newId();
  const values = { org_id: org.id, id, channel, to: 'ann@example.com', status, reason: 'the connection broke' };
  await stack.db.insertInto('deliveries').values(values).execute();
  return id;
};
const statusOf = async (id: string, org = stack.org) => (await org.get(`/deliveries/${id}`)).body.status;
const bulk = (body: object) => admin.post('/deliveries/bulk', body);
const action = { type: 'resolve', outcome: 'sent' };
const untilEnded = (id: string) =>
  eventually('the end of the job', async () => {
    const { body } = await admin.get(`/jobs/${id}`);
    return body.state === 'done' && body;
  });

it('settles unknown deliveries by id, and says which had an outcome', async () => {
  const [unknown, known] = [await insert('unknown'), await insert('sent')];
  const foreign = await insert('unknown', 'email', stack.other);
  const { status, body } = await bulk({ ids: [unknown, known, foreign], action: { ...action, outcome: 'failed' } });
  const error = 'Only a delivery that is unknown can be settled by hand';
  expect([status, body.results]).toEqual([200, [{ id: unknown }, { id: known, error }, { id: foreign, error }]]);
  expect([await statusOf(unknown), await statusOf(known), await statusOf(foreign, stack.other)]).toEqual([
    'failed',
    'sent',
    'unknown',
  ]);
});

it('settles all that are unknown by a job, of those that are listed alone, and tells the member', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, () => insert('unknown', 'sms')));
  const [other, known] = [await insert('unknown'), await insert('sent', 'sms')];
  const { status, body } = await bulk({ query: { channel: 'sms' }, action });
  expect([status, body]).toEqual([202, { job_id: expect.any(String), total: 5 }]);
  const job = await untilEnded(body.job_id);
  expect(job).toMatchObject({ total: 5, done: 5, failed: 0, errors: [], ended_at: expect.any(String) });
  expect(await Promise.all(ids.map((id) => statusOf(id)))).toEqual(ids.map(() => 'sent'));
  expect((await stack.org.get(`/deliveries/${ids[0]}`)).body.reason).toBe(
    'settled by hand; it was unknown: the connection broke',
  );
  expect([await statusOf(other), await statusOf(known)]).toEqual(['unknown', 'sent']);
  await eventually('the notification', async () => {
    const { items } = (await admin.get('/me/notifications')).body;
    return items.some(({ data }: { data: { job_id?: string } }) => data.job_id === body.job_id);
  });
  await stack.org.post(`/deliveries/${other}/resolve`, { outcome: 'failed' });
});

it('settles no delivery that became unknown after the job began, and none twice when its workflow is lost', async () => {
  const ids = await Promise.all(Array.from({ length: 3 }, () => insert('unknown')));
  const { body } = await bulk({ query: {}, action });
  const later = await insert('unknown');
  const handle = stack.temporal.workflow.getHandle(`delivery-job/${body.job_id}`);
  await eventually('the workflow', () => handle.describe().catch(() => undefined));
  await handle.terminate('a test').catch(() => undefined);
  await eventually('a mended job', async () => {
    await repair(stack.db, stack.temporal, { isDryRun: false });
    return (await admin.get(`/jobs/${body.job_id}`)).body.state === 'done';
  });
  expect(await Promise.all([...ids, later].map((id) => statusOf(id)))).toEqual(['sent', 'sent', 'sent', 'unknown']);
});

it('says how many had an outcome by the time of the job', async () => {
  const id = await insert('unknown', 'sms');
  const jobId = newId();
  const job = { org_id: stack.org.id, id: jobId, user_id: null, outcome: 'sent' as const, total: 1, ended_at: null };
  await stack.db.insertInto('delivery_jobs').values(job).execute();
  const item = { org_id: stack.org.id, job_id: jobId, delivery_id: id, error: null };
  await stack.db.insertInto('delivery_job_items').values(item).execute();
  await stack.org.post(`/deliveries/${id}/resolve`, { outcome: 'failed' });
  await eventually('the end of the job', async () => {
    await repair(stack.db, stack.temporal, { isDryRun: false });
    return (await stack.org.get(`/jobs/${jobId}`)).body.state === 'done';
  });
  expect((await stack.org.get(`/jobs/${jobId}`)).body).toMatchObject({ done: 1, failed: 1, errors: [{ id }] });
  expect(await statusOf(id)).toBe('failed');
});

it('is refused to agents, and a job is shown to its own org and by its scope alone', async () => {
  const agent = await signIn(stack, 'agent');
  expect((await agent.post('/deliveries/bulk', { query: {}, action })).status).toBe(403);
  for (const body of [{ action }, { ids: [newId()], query: {}, action }, { query: {}, action: { type: 'resolve' } }])
    expect((await bulk(body)).status).toBe(400);
  const { body } = await bulk({ query: { reason: 'nothing has it' }, action });
  expect(body.total).toBe(0);
  await untilEnded(body.job_id);
  expect((await stack.other.get(`/jobs/${body.job_id}`)).status).toBe(404);
  const limited = await stack.org.withScopes('chat-sessions:read');
  expect((await limited.get(`/jobs/${body.job_id}`)).status).toBe(403);
  const allowed = await stack.org.withScopes('sequences:read');
  expect((await allowed.get(`/jobs/${body.job_id}`)).status).toBe(200);
});
