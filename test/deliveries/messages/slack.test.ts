import { newCalibratedOrg, QUESTION } from '../../ai/answering-org.ts';
import { PNG } from '../../media/samples.ts';
import { connectSlack, FAKES_ALLOWED, untilDelivery } from '../../support/channels.ts';
import { type FakeSlack, startFakeSlack } from '../../support/fakes/slack.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

let stack: Stack;
let slack: FakeSlack;
let org: TestOrg;
let url: string;
beforeAll(async () => {
  slack = await startFakeSlack();
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await slack.close();
});
beforeEach(async () => {
  org = await stack.createOrg();
  url = await connectSlack(org, slack);
});

const sessions = async () => (await org.get('/chat/sessions')).body.items;
const events = async (id: string) => (await org.get(`/chat/sessions/${id}/history`)).body.items;
const texts = async (id: string): Promise<string[]> =>
  (await events(id)).flatMap(({ event }: { event: { type: string; content?: { text: string } } }) =>
    event.type === 'message' ? [event.content?.text ?? ''] : [],
  );
const say = (id: string, text: string, attachments: object[] = []) =>
  org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message: { type: 'text', text, attachments } });
const postsIn = (thread: string, count: number) =>
  eventually(`${count} posts`, () => {
    const found = slack.posts.filter(({ thread_ts }) => thread_ts === thread);
    return found.length === count && found;
  });
const lastDelivery = async () => (await org.get('/deliveries?channel=slack')).body.items[0].id as string;

it('a thread is one session, whoever writes in it, and is answered in the thread', async () => {
  const user_profile = { real_name: 'Ada Byron' };
  const thread = await slack.receive(url, {
    user: 'U0ADA',
    text: `<@${slack.botId}> Is &lt;this&gt; on?`,
    user_profile,
  });
  await slack.receive(url, { user: 'U0BOB', text: 'Same here', thread_ts: thread });
  const other = await slack.receive(url, { user: 'U0ADA', text: 'Another <https://acme.example|thing>' });
  const [first, second] = await sessions();
  expect([first, second]).toMatchObject([
    { channel: { type: 'slack' }, contact: { name: 'Ada Byron' }, can_send: { ok: true } },
    { contact: { id: first.contact.id } },
  ]);
  expect([await texts(first.id), await texts(second.id)]).toEqual([
    ['Is <this> on?', 'Same here'],
    ['Another thing (https://acme.example)'],
  ]);
  expect((await say(first.id, 'Yes, <!channel> & all')).status).toBe(201);
  expect((await postsIn(thread, 1))[0]?.text).toBe('Yes, &lt;!channel&gt; &amp; all');
  await say(second.id, 'Which one?');
  await postsIn(other, 1);
  await untilDelivery(org, await lastDelivery(), 'accepted');
});

it('an event that Slack repeats counts once, and so does a mention that comes as two events', async () => {
  const ts = await slack.receive(url, { user: 'U0ADA', text: 'Hello?' });
  await slack.receive(url, { user: 'U0ADA', text: 'Hello?', ts }, { retry: 1 });
  await slack.receive(url, { user: 'U0ADA', text: 'Hello?', ts, type: 'app_mention' });
  const [session, ...more] = await sessions();
  expect([await texts(session.id), more]).toEqual([['Hello?'], []]);
});

it('a message of a program is not taken, and neither is one without a recent signature', async () => {
  const message = { type: 'message', channel: slack.channel, ts: '1700009999.000100', text: 'Hello?' };
  expect(await slack.event(url, { ...message, user: slack.botId, bot_id: 'B0BOT' })).toBe(200);
  expect(await slack.event(url, { ...message, subtype: 'channel_join', user: 'U0ADA' })).toBe(200);
  const byAda = { ...message, user: 'U0ADA' };
  expect(await slack.event(url, byAda, { forged: true })).toBe(403);
  // The exact bound is in test/providers/slack.test.ts, by a given clock.
  const [old, ahead] = [-330, 330].map((seconds) => new Date(Date.now() + seconds * 1_000));
  expect([await slack.event(url, byAda, { at: old }), await slack.event(url, byAda, { at: ahead })]).toEqual([
    403, 403,
  ]);
  expect(await sessions()).toEqual([]);
});

it('the address is verified by the challenge, and a limit of Slack shows on the connection', async () => {
  const challenge = { type: 'url_verification', token: 'x', challenge: '3eZbrw1aB' };
  expect(await slack.post(url, challenge)).toEqual({ status: 200, body: { challenge: '3eZbrw1aB' } });
  expect((await slack.post(url, challenge, { forged: true })).status).toBe(403);
  await slack.post(url, { type: 'app_rate_limited', minute_rate_limited: 1_518_467_820 });
  expect((await org.get('/integrations/slack')).body.last_error).toContain('30,000 events');
});

it('files go both ways, those of an agent with the text in one message', async () => {
  slack.files.set('F0PHOTO', PNG);
  const thread = await slack.receive(url, {
    user: 'U0ADA',
    text: 'Look',
    subtype: 'file_share',
    files: [{ id: 'F0PHOTO', name: 'photo.png', mimetype: 'image/png' }],
  });
  const { id } = await eventually('the session', async () => (await sessions())[0]);
  expect((await events(id))[0].event.attachments).toMatchObject([{ name: 'photo.png', mime_type: 'image/png' }]);
  await say(id, 'Thank you', [
    { name: 'a.png', base64: PNG.toString('base64') },
    { name: 'b.png', base64: PNG.toString('base64') },
  ]);
  const [post] = (await postsIn(thread, 1)) as [(typeof slack.posts)[number]];
  expect([post.text, post.files]).toEqual([
    'Thank you',
    [
      { name: 'a.png', bytes: PNG },
      { name: 'b.png', bytes: PNG },
    ],
  ]);
});

it('edits and deletions of a person change the message, a preview of a link does not', async () => {
  const ts = await slack.receive(url, { user: 'U0ADA', text: 'Helo?' });
  const [{ id }] = await sessions();
  const change = { type: 'message', channel: slack.channel, hidden: true };
  const message = { type: 'message', user: 'U0ADA', ts };
  await slack.event(url, { ...change, ts: '1', subtype: 'message_changed', message: { ...message, text: 'Preview' } });
  const edited = { ...message, text: 'Hello?', edited: { user: 'U0ADA', ts: '1700009998.000000' } };
  await slack.event(url, { ...change, subtype: 'message_changed', message: edited });
  const older = { ...message, text: 'Helo!', edited: { user: 'U0ADA', ts: '1700009997.000000' } };
  await slack.event(url, { ...change, subtype: 'message_changed', message: older }, { retry: 1 });
  expect(await texts(id)).toEqual(['Hello?']);
  const deletion = { subtype: 'message_deleted', ts: '1700009999.000000', deleted_ts: ts, previous_message: edited };
  await slack.event(url, { ...change, ...deletion });
  expect((await events(id))[0].event.deleted_at).toEqual(expect.any(String));
});

it('a text is as long as Slack counts it', async () => {
  await slack.receive(url, { user: 'U0ADA', text: 'Hello?' });
  const [{ id }] = await sessions();
  expect((await say(id, '&'.repeat(8_001))).status).toBe(400);
});

it('a refusal of Slack shows on the delivery, and the connection is tested by its token', async () => {
  await slack.receive(url, { user: 'U0ADA', text: 'Hello?' });
  const [{ id }] = await sessions();
  slack.next({ error: 'is_archived' });
  await say(id, 'Hi');
  expect(await untilDelivery(org, await lastDelivery(), 'failed')).toMatchObject({
    reason: expect.stringContaining('is_archived'),
  });
  expect((await org.post('/integrations/slack/test', {})).body).toMatchObject({ connected: true });
  await org.put('/integrations/slack', {
    provider: 'slack',
    settings: { base_url: slack.url, bot_token: 'xoxb-wrong', signing_secret: 'x' },
  });
  const { body } = await org.post('/integrations/slack/test', {});
  expect(body).toEqual({ connected: false, message: expect.stringContaining('invalid_auth') });
});

it('a blocked person is heard in nobody’s thread', async () => {
  const thread = await slack.receive(url, { user: 'U0EVE', text: 'Buy this' });
  const [{ id, contact }] = await sessions();
  await org.patch(`/contacts/${contact.id}`, { contact: { email: 'eve@example.com' } });
  await org.post('/blocklist/contacts', { email: 'eve@example.com' });
  const other = await slack.receive(url, { user: 'U0ADA', text: 'Hello?' });
  const [, session] = await sessions();
  await say(session.id, 'Hi');
  await postsIn(other, 1);
  await slack.receive(url, { user: 'U0EVE', text: 'Buy that', thread_ts: other });
  await slack.receive(url, { user: 'U0EVE', text: 'Buy more', thread_ts: thread });
  expect((await org.get(`/chat/sessions/${session.id}`)).body).toMatchObject({ waiting_on: 'customers' });
  expect(await texts(id)).toEqual(['Buy this', 'Buy more']);
});

it('the AI answers in the thread in plain text, and says there that people take over', async () => {
  org = await newCalibratedOrg(stack);
  url = await connectSlack(org, slack);
  await org.patch('/autopilot', { channel: 'slack', autopilot_enabled: true });
  const thread = await slack.receive(url, { user: 'U0ADA', text: QUESTION });
  const [answer] = (await postsIn(thread, 1)) as [(typeof slack.posts)[number]];
  expect(answer.text).toContain('within five working days');
  const other = await slack.receive(url, { user: 'U0ADA', text: 'I want to talk to a human' });
  await postsIn(other, 1);
  const [, session] = await sessions();
  expect((await org.get(`/chat/sessions/${session.id}`)).body.handoff).toMatchObject({ reason: 'user_request' });
});
