import { sql } from 'kysely';
import { continueJob, readProgress, startJob } from '../../../src/conversations/bulk/service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { repair } from '../../../src/repair/repair.ts';
import { type SignedIn, signIn } from '../../sign-in/signing-in.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const HOUR_MS = 3_600_000;

let stack: Stack;
let agent: SignedIn;
beforeAll(async () => {
  stack = await startStack();
  agent = await signIn(stack, 'agent');
  await stack.org.put('/tags', { tag_name: 'refund' });
});
afterAll(() => stack.close());

const newSession = async (channel = 'web') =>
  (await stack.org.post('/chat/sessions', { channel: { type: channel } })).body.id as string;
const newSessions = (count: number, channel?: string) =>
  Promise.all(Array.from({ length: count }, () => newSession(channel)));
const look = async (id: string) => (await stack.org.get(`/chat/sessions/${id}`)).body;
const bulk = (body: object) => agent.post('/chat/sessions/bulk', body);
const untilEnded = (id: string) =>
  eventually('the end of the job', async () => {
    const { body } = await agent.get(`/jobs/${id}`);
    return body.state === 'done' && body;
  });
const countOf = async (ids: string[], type: string) => {
  const rows = await stack.db
    .selectFrom('session_events')
    .select('session_id')
    .where('session_id', 'in', ids)
    .where('type', '=', type as 'message')
    .execute();
  return rows.length;
};

it('a job whose last session another process has is left to the next look, and not asked for again and again', async () => {
  const [id = ''] = await newSessions(1, 'api');
  const change = { action: { type: 'add_tags' as const, tags: ['refund'] }, userId: null };
  const orgId = stack.org.id;
  const { job_id: jobId, total } = await inTransaction(stack.db, async (trx) => {
    const started = await startJob(
      trx,
      orgId,
      sql`select id from sessions where org_id = ${orgId} and id = ${id}`,
      change,
    );
    await trx.deleteFrom('outbox').where('subject_id', '=', started.job_id).execute(); // this test is the worker
    return started;
  });
  expect(total).toBe(1);
  await inTransaction(stack.db, async (trx) => {
    await trx.selectFrom('session_job_items').selectAll().where('job_id', '=', jobId).forUpdate().execute();
    expect(await continueJob(stack.db, { orgId, jobId })).toBe(true);
    expect(await readProgress(stack.db, { orgId, jobId })).toMatchObject({ isEnded: false, done: 0 });
  });
  expect(await continueJob(stack.db, { orgId, jobId })).toBe(false);
  expect(await continueJob(stack.db, { orgId, jobId })).toBe(true);
  expect(await readProgress(stack.db, { orgId, jobId })).toMatchObject({ isEnded: true, done: 1 });
});

it('changes each of the sessions by id, and says which of them refused', async () => {
  const [open, snoozed, closed] = (await newSessions(3)) as [string, string, string];
  await stack.org.patch(`/chat/sessions/${closed}`, { status: 'closed_resolved' });
  const { body: foreign } = await stack.other.post('/chat/sessions', {});
  const ids = [closed, open, foreign.id, snoozed, open];
  const until = new Date(Date.now() + HOUR_MS).toISOString();
  const { status, body } = await bulk({ ids, action: { type: 'snooze', until } });
  expect(status).toBe(200);
  expect(body.results).toEqual([
    { id: closed, error: expect.stringContaining('closed') },
    { id: open },
    { id: foreign.id, error: 'Session not found' },
    { id: snoozed },
    { id: open },
  ]);
  expect([(await look(open)).snoozed_until, (await look(snoozed)).snoozed_until]).toEqual([until, until]);
  expect(await countOf([open], 'snoozed')).toBe(1);
});

it('assigns, tags and closes', async () => {
  const ids = await newSessions(2);
  for (const action of [
    { type: 'assign', assignee_id: agent.id },
    { type: 'add_tags', tags: ['Refund'] },
    { type: 'set_status', status: 'closed_unresolved' },
  ])
    expect((await bulk({ ids, action })).body.results).toEqual(ids.map((id) => ({ id })));
  for (const id of ids)
    expect(await look(id)).toMatchObject({ assignee_id: agent.id, tags: ['refund'], status: 'closed_unresolved' });
  await bulk({ ids, action: { type: 'remove_tag', tag_name: 'refund' } });
  expect((await look(ids[0] as string)).tags).toEqual([]);
});

it('changes all sessions that a query finds by a job, and has the member hear of its end', async () => {
  const ids = await newSessions(30, 'sms');
  const others = await newSessions(2, 'whatsapp');
  const { status, body } = await bulk({
    query: { channels: ['sms'] },
    action: { type: 'set_status', status: 'closed_resolved' },
  });
  expect([status, body]).toEqual([202, { job_id: expect.any(String), total: 30 }]);
  expect(await untilEnded(body.job_id)).toMatchObject({ total: 30, done: 30, failed: 0, errors: [] });
  expect(await countOf(ids, 'status_changed')).toBe(30);
  expect(await countOf(others, 'status_changed')).toBe(0);
  const { items } = (await agent.get(`/chat/sessions/${ids[0]}/history`)).body;
  expect(items.at(-1).actor).toEqual({ kind: 'member', id: agent.id, name: 'The agent' });
  const { body: news } = await agent.get('/me/notifications?unread=true');
  expect(news.items).toContainEqual(expect.objectContaining({ kind: 'ended', data: { job_id: body.job_id } }));

  const again = await bulk({ query: { channels: ['sms'] }, action: { type: 'snooze', until_reply: true } });
  const ended = await untilEnded(again.body.job_id);
  expect(ended).toMatchObject({ total: 30, done: 30, failed: 30 });
  expect(ended.errors[0]).toEqual({ id: expect.any(String), error: expect.stringContaining('closed') });
});

it('changes all sessions of a view, with filters besides, by a job', async () => {
  const ids = await newSessions(3, 'instagram');
  await bulk({ ids: ids.slice(0, 2), action: { type: 'assign', assignee_id: agent.id } });
  const mine = { view: 'mine', channel: 'instagram' };
  const { status, body } = await bulk({ inbox: mine, action: { type: 'set_status', status: 'closed_resolved' } });
  expect([status, body.total]).toEqual([202, 2]);
  await untilEnded(body.job_id);
  expect(await Promise.all(ids.map(async (id) => (await look(id)).status))).toEqual([
    'closed_resolved',
    'closed_resolved',
    'open',
  ]);
  const unknown = await bulk({ inbox: { view: crypto.randomUUID() }, action: { type: 'snooze', until_reply: true } });
  expect(unknown.status).toBe(404);
});

it('gives a job the workflow back that Temporal has lost, and changes no session twice', async () => {
  const ids = await newSessions(20, 'email');
  const { body } = await bulk({
    query: { channels: ['email'] },
    action: { type: 'set_status', status: 'closed_resolved' },
  });
  const handle = stack.temporal.workflow.getHandle(`session-job/${body.job_id}`);
  await eventually('the workflow', () => handle.describe().catch(() => undefined));
  await handle.terminate('a test').catch(() => undefined);
  await eventually('a mended job', async () => {
    await repair(stack.db, stack.temporal, { isDryRun: false });
    return (await agent.get(`/jobs/${body.job_id}`)).body.state === 'done';
  });
  expect(await countOf(ids, 'status_changed')).toBe(20);
});

it('is refused to viewers, to keys without the scope of tags, to other orgs and for wrong bodies', async () => {
  const id = await newSession();
  const action = { type: 'add_tags', tags: ['refund'] };
  const viewer = await signIn(stack, 'viewer');
  expect((await viewer.post('/chat/sessions/bulk', { ids: [id], action })).status).toBe(403);
  const limited = await stack.org.withScopes('chat-sessions:write');
  for (const one of [action, { type: 'remove_tag', tag_name: 'refund' }])
    expect((await limited.post('/chat/sessions/bulk', { ids: [id], action: one })).status).toBe(403);
  expect(
    (await limited.post('/chat/sessions/bulk', { ids: [id], action: { type: 'snooze', until_reply: true } })).status,
  ).toBe(200);
  for (const body of [
    { action },
    { ids: [], action },
    { ids: [id], query: {}, action },
    { query: {}, inbox: {}, action },
    { inbox: { status: 'lost' }, action },
    { ids: Array(201).fill(id), action },
    { ids: [id], action: { type: 'delete' } },
    { ids: [id], action: { type: 'assign' } },
    { ids: [id], action: { type: 'snooze', until: '2020-01-01T00:00:00Z' } },
  ])
    expect([JSON.stringify(body).slice(0, 80), (await bulk(body)).status]).toEqual([expect.any(String), 400]);
  const { body: job } = await bulk({ query: { ticket_number: 1 }, action });
  expect((await stack.other.get(`/jobs/${job.job_id}`)).status).toBe(404);
  expect((await viewer.get(`/jobs/${job.job_id}`)).status).toBe(200);
});

it('answers a repeated request with the stored results, without changing anything again', async () => {
  const [id = ''] = await newSessions(1);
  const body = { ids: [id, crypto.randomUUID()], action: { type: 'snooze', until_reply: true } };
  const headers = { 'idempotency-key': `bulk ${id}` };
  const request = () => stack.org.post('/chat/sessions/bulk', body, { headers });
  const [first, second] = [await request(), await request()];
  expect(second.body).toEqual(first.body);
  expect(first.body.results[1].error).toEqual(expect.any(String));
  expect(await countOf([id], 'snoozed')).toBe(1);
});
