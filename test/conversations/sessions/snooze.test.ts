import { repair } from '../../../src/repair/repair.ts';
import { signIn } from '../../sign-in/signing-in.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const HOUR_MS = 3_600_000;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const newSession = async () => (await stack.org.post('/chat/sessions', { channel: { type: 'web' } })).body.id as string;
const snooze = (id: string, body: object) => stack.org.post(`/chat/sessions/${id}/snooze`, body);
const say = (id: string, sender: 'contact' | 'agent') =>
  stack.org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text: 'Hello' } });
const look = async (id: string) => (await stack.org.get(`/chat/sessions/${id}`)).body;
const eventsOf = async (id: string) => {
  const { body } = await stack.org.get(`/chat/sessions/${id}/history`);
  return body.items
    .map(({ event }: { event: { type: string; because?: string } }) => event)
    .filter(({ type }: { type: string }) => type.startsWith('snooze'));
};
const endingsOf = async (id: string) =>
  (await eventsOf(id)).flatMap(({ because }: { because?: string }) => because ?? []);
const workflowOf = (id: string) => stack.temporal.workflow.getHandle(`snooze/${id}`);
const isIn = (id: string, state: string) =>
  eventually(`a workflow that is ${state}`, async () => {
    const found = await workflowOf(id)
      .describe()
      .catch(() => undefined);
    return (found?.status.name ?? 'ABSENT') === state;
  });

it('ends a snooze at its time by a workflow, and shows both in the history', async () => {
  const id = await newSession();
  const until = inMs(1_500);
  const { status, body } = await snooze(id, { until });
  expect(status).toBe(200);
  expect(body.snoozed_until).toBe(until);
  expect(await look(id)).toMatchObject({ snoozed_until: until, snoozed_at: body.snoozed_at });
  await eventually('the end', async () => (await look(id)).snoozed_at === null);
  expect(await eventsOf(id)).toMatchObject([
    { type: 'snoozed', until },
    { type: 'snooze_ended', because: 'due' },
  ]);
  await isIn(id, 'COMPLETED');
});

it('ends a snooze when the contact writes, and its timer with it, but not when an agent does', async () => {
  const id = await newSession();
  await snooze(id, { until: inMs(HOUR_MS) });
  await isIn(id, 'RUNNING');
  await say(id, 'agent');
  expect(await endingsOf(id)).toEqual([]);
  await say(id, 'contact');
  expect(await endingsOf(id)).toEqual(['reply']);
  expect(await look(id)).toMatchObject({ snoozed_at: null, snoozed_until: null });
  await isIn(id, 'COMPLETED');
});

it('snoozes without a time until the contact writes, and starts no timer', async () => {
  const id = await newSession();
  const { body } = await snooze(id, { until_reply: true });
  expect(body).toEqual({ snoozed_at: expect.any(String), snoozed_until: null });
  await say(id, 'contact');
  expect(await endingsOf(id)).toEqual(['reply']);
  await isIn(id, 'ABSENT');
});

it('moves the end of a snooze by a new one, and ends it on request and at closing', async () => {
  const id = await newSession();
  await snooze(id, { until: inMs(HOUR_MS) });
  await isIn(id, 'RUNNING');
  await snooze(id, { until: inMs(1_500) });
  await eventually('the end', async () => (await look(id)).snoozed_at === null);
  await snooze(id, { until_reply: true });
  await snooze(id, { until: null });
  await snooze(id, { until: null });
  await snooze(id, { until: inMs(HOUR_MS) });
  await stack.org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
  expect(await endingsOf(id)).toEqual(['due', 'canceled', 'closed']);
  expect((await snooze(id, { until_reply: true })).status).toBe(409);
});

it('gives a snoozed session the workflow back that Temporal has lost', async () => {
  const id = await newSession();
  await snooze(id, { until: inMs(HOUR_MS) });
  await isIn(id, 'RUNNING');
  await workflowOf(id).terminate('a test');
  await isIn(id, 'TERMINATED');
  const mended = await repair(stack.db, stack.temporal, { isDryRun: false });
  expect(mended.filter((one) => one.id === id)).toMatchObject([{ kind: 'snooze', mended: 'resumed' }]);
  await isIn(id, 'RUNNING');
});

it('refuses times that are no future, viewers, and sessions of another org', async () => {
  const id = await newSession();
  for (const until of [inMs(-1_000), inMs(400 * 24 * HOUR_MS), 'tomorrow', 5])
    expect([until, (await snooze(id, { until })).status]).toEqual([until, 400]);
  expect((await stack.other.post(`/chat/sessions/${id}/snooze`, { until_reply: true })).status).toBe(404);
  const viewer = await signIn(stack, 'viewer');
  expect((await viewer.post(`/chat/sessions/${id}/snooze`, { until_reply: true })).status).toBe(403);
  const agent = await signIn(stack, 'agent');
  expect((await agent.post(`/chat/sessions/${id}/snooze`, { until_reply: true })).status).toBe(200);
});

it('needs to hear how long it lasts: a body that says nothing is refused and changes nothing', async () => {
  const id = await newSession();
  await snooze(id, { until_reply: true });
  for (const body of [{}, { until_reply: false }]) {
    const { status, body: answer } = await snooze(id, body);
    expect([status, answer.message]).toEqual([400, expect.stringContaining('{"until": null} ends a snooze')]);
  }
  const many = await stack.org.post('/chat/sessions/bulk', { ids: [id], action: { type: 'snooze' } });
  expect([many.status, (await look(id)).snoozed_at]).toEqual([400, expect.any(String)]);
  expect((await snooze(id, { until: null })).body.snoozed_at).toBe(null);
});
