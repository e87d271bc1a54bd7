import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { redactTurns } from '../../../src/ai/turns/requests.service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { startFakeEmbeddings } from '../../support/fakes/embeddings.ts';
import { startFaultyServer } from '../../support/fakes/faulty-server.ts';
import { type FakeModel, quoting, startFakeModel } from '../../support/fakes/model.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { messagesOf, newAnsweringOrg, QUESTION } from '../answering-org.ts';

const CARD = '4111 1111 1111 1111';
const ABOUT_CARD = `My card is ${CARD}. Is it the one that was charged?`;

let stack: Stack;
let model: FakeModel;
let shop: Awaited<ReturnType<typeof startFaultyServer>>;
/** What the shop has done, and what its answers wait for. */
let effects: string[];
let lateMs: number | undefined;
beforeAll(async () => {
  model = await startFakeModel();
  shop = await startFaultyServer(
    ({ body }) => {
      effects.push(body);
      return { status: 200, body: { charged: CARD } };
    },
    () => (lateMs === undefined ? undefined : { lateMs }),
  );
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await model.close();
  await shop.close();
});
beforeEach(() => {
  effects = [];
  lateMs = undefined;
  model.asked.length = 0;
});

async function newOrg(version = 'v1'): Promise<TestOrg> {
  const org = await newAnsweringOrg(stack);
  await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true, ai_agent_version: version });
  return org;
}

const addCharging = (org: TestOrg) =>
  org.post('/actions', {
    name: 'Charge',
    operation_id: 'charge',
    api_endpoint: `${shop.url}/charge`,
    request_type: 'POST',
    payload: {
      requestBody: {
        content: { 'application/json': { schema: { type: 'object', properties: { card: { type: 'string' } } } } },
      },
    },
    enabled_on_channel: { channels: ['api'] },
  });
const charging = { calls: [{ name: 'charge', arguments: { body_params: { card: CARD } } }] };

/** Sends a contact's message, and returns its session and the message's id. */
async function say(org: TestOrg, text: string, session?: string) {
  const id: string = session ?? (await org.post('/chat/sessions', { channel: { type: 'api' } })).body.id;
  const message = { sender: 'contact', message: { type: 'text', text } };
  await org.post(`/chat/sessions/${id}/send`, message, { headers: { prefer: 'wait=0' } });
  const { messages } = await stack.db
    .selectFrom('session_events')
    .select(sql<string[]>`array_agg(id order by seq)`.as('messages'))
    .where('session_id', '=', id)
    .where('type', '=', 'message')
    .executeTakeFirstOrThrow();
  return { id, messageId: messages.at(-1) ?? '' };
}
const turnsOf = async (org: TestOrg, id: string) => (await org.get(`/chat/sessions/${id}/turns`)).body.items;
const turnOf = (org: TestOrg, id: string, nth: number) =>
  eventually(`the end of turn ${nth + 1}`, async () => {
    const turn = (await turnsOf(org, id))[nth];
    return turn?.ended_at ? turn : undefined;
  });
/** Whatever the API shows of a session, as text. */
async function allOf(org: TestOrg, id: string): Promise<string> {
  const [turns, calls, history] = await Promise.all([
    turnsOf(org, id),
    org.get(`/autopilot/calls?session_id=${id}`),
    org.get(`/chat/sessions/${id}/history`),
  ]);
  return JSON.stringify([turns, calls.body, history.body]);
}
/** What is stored of a session by the AI, as text. */
async function storedOf(id: string): Promise<string> {
  const turns = await stack.db.selectFrom('ai_turns').selectAll().where('session_id', '=', id).execute();
  const ids = turns.map((turn) => turn.id);
  const steps = await stack.db.selectFrom('ai_steps').selectAll().where('turn_id', 'in', ids).execute();
  const calls = await stack.db.selectFrom('ai_calls').selectAll().where('session_id', '=', id).execute();
  return JSON.stringify([turns, steps, calls]);
}
async function expectNoWords(org: TestOrg, id: string): Promise<void> {
  await eventually('the words to be gone', async () => !(await allOf(org, id)).includes('4111'));
  await sleep(1_000); // nothing comes back
  expect(await allOf(org, id)).not.toContain('4111');
  expect(await storedOf(id)).not.toContain('4111');
}
const redact = async (org: TestOrg, target: { sessionId: string } | { messageId: string }) => {
  const path = 'sessionId' in target ? 'session' : 'message';
  expect(await org.post(`/redaction/${path}`, target)).toMatchObject({ status: 200 });
};
/** Has the model answer what it is asked first once it is released. */
function holding(script: Parameters<FakeModel['say']>[0]) {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  model.say(async (asked) => {
    const said = await script(asked);
    if (model.asked.length === 1) await isReleased;
    return said;
  });
  return release;
}
const untilAsked = () => eventually('a question to the model', () => model.asked.length > 0);

describe('a redaction while a turn is under way', () => {
  it.each([
    ['at once', 0],
    ['after the redaction has reached what was stored', 1_500],
  ])('leaves nothing of what the model answers %s, and nothing of it is said', async (_, pauseMs) => {
    const release = holding(() => ({
      json: {
        kind: 'ask',
        language: 'en',
        covers: 'fully',
        parts: [{ question: `Is it the card ${CARD}?` }, { text: `The card ${CARD} was charged.` }],
      },
    }));
    const org = await newOrg();
    const { id } = await say(org, ABOUT_CARD);
    await untilAsked();
    await redact(org, { sessionId: id });
    await sleep(pauseMs);
    release();
    expect(await turnOf(org, id, 0)).toMatchObject({ state: 'superseded' });
    expect(await turnOf(org, id, 1)).toMatchObject({ state: 'skipped', reason: 'acknowledgement' });
    await expectNoWords(org, id);
    expect((await messagesOf(org, id)).filter(({ sender }) => sender.type === 'ai')).toEqual([]);
  });

  it('answers what is left of the conversation in a new turn', async () => {
    const org = await newOrg();
    model.say(() => ({ json: { kind: 'ask', language: 'en', parts: [{ question: 'What do you want to know?' }] } }));
    const { id, messageId } = await say(org, `My card is ${CARD}.`);
    await turnOf(org, id, 0);
    model.asked.length = 0;
    const release = holding((asked) =>
      asked.messages.some(({ content }) => content.includes('4111'))
        ? { json: { kind: 'ask', language: 'en', parts: [{ question: `Is it ${CARD}?` }] } }
        : quoting(asked, 'five working days', 'You get the money back within five working days.'),
    );
    await say(org, QUESTION, id);
    await untilAsked();
    await redact(org, { messageId });
    release();
    expect(await turnOf(org, id, 1)).toMatchObject({ state: 'superseded' });
    expect(await turnOf(org, id, 2)).toMatchObject({ state: 'answered', reason: null });
    expect((await messagesOf(org, id)).at(-1)?.content.text).toContain('five working days');
    await expectNoWords(org, id);
  });

  it('begins anew what was begun before the reaction to the redaction', async () => {
    const org = await newOrg();
    model.say(() => ({ json: { kind: 'ask', language: 'en', parts: [{ question: 'What do you want to know?' }] } }));
    const { id, messageId } = await say(org, `My card is ${CARD}.`);
    await turnOf(org, id, 0);
    await redact(org, { messageId });
    await eventually('the reactions', async () => {
      const left = await stack.db.selectFrom('outbox').select('id').where('org_id', '=', org.id).execute();
      return left.length === 0;
    });
    model.asked.length = 0;
    const release = holding((asked) =>
      quoting(asked, 'five working days', 'You get the money back within five working days.'),
    );
    await say(org, QUESTION, id);
    await untilAsked();
    const late = { id: 1, org_id: org.id, subject_id: id, payload: { message_id: messageId }, depth: 0 };
    await inTransaction(stack.db, (trx) =>
      redactTurns(trx, org.id, [{ ...late, type: 'session-redacted', created_at: new Date() }]),
    );
    release();
    expect(await turnOf(org, id, 1)).toMatchObject({ state: 'superseded' });
    expect(await turnOf(org, id, 2)).toMatchObject({ state: 'answered', reason: null });
  });

  it('makes no call of what was planned from the words', async () => {
    const release = holding(({ isPlan }) => (isPlan ? charging : { json: { kind: 'nothing', language: 'en' } }));
    const org = await newOrg('v2');
    await addCharging(org);
    const { id } = await say(org, `Please charge my card ${CARD}`);
    await untilAsked();
    await redact(org, { sessionId: id });
    await sleep(1_500);
    release();
    expect(await turnOf(org, id, 0)).toMatchObject({ state: 'superseded' });
    expect(await turnOf(org, id, 1)).toMatchObject({ state: 'skipped' });
    await expectNoWords(org, id);
    expect(effects).toEqual([]);
  });

  it.each([
    ['the call is under way', 0],
    ['a model is asked after the call', 1],
  ])('says what was done, once and in our own words, where %s', async (_, plansAfter) => {
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    model.say(async ({ isPlan, data }) => {
      if (!isPlan) return { json: { kind: 'ask', language: 'en', parts: [{ question: `Is it ${CARD}?` }] } };
      if (data.receipts === undefined || data.receipts.length === 0) return charging;
      await isReleased;
      return { json: { language: 'en', queries: [CARD] } };
    });
    const org = await newOrg('v2');
    await addCharging(org);
    lateMs = plansAfter === 0 ? 3_000 : undefined;
    const { id } = await say(org, `Please charge my card ${CARD}`);
    await eventually('the effect', () => effects.length > 0 && model.asked.length > plansAfter);
    await redact(org, { sessionId: id });
    await sleep(500);
    release();
    expect(await turnOf(org, id, 0)).toMatchObject({ state: 'answered', reason: null, agent: 'extractive-1' });
    await expectNoWords(org, id);
    expect(await turnsOf(org, id)).toHaveLength(1);
    expect(effects).toHaveLength(1);
    const { body } = await org.get(`/autopilot/calls?session_id=${id}`);
    expect(body.items).toMatchObject([{ state: 'done', arguments: null, response: null }]);
    expect((await messagesOf(org, id)).filter(({ sender }) => sender.type === 'ai')).toHaveLength(1);
  });

  it('leaves nothing of what was searched without a model', async () => {
    const embeddings = await startFakeEmbeddings();
    const org = await newAnsweringOrg(stack);
    await org.put('/integrations/llm', { provider: 'openai-compatible', settings: embeddings.settings });
    await org.patch('/autopilot/settings', { mode: 'extractive' });
    await org.post('/autopilot/settings/publish');
    await eventually('a calibration with vectors', async () => {
      const { body } = await org.get('/autopilot/calibration');
      return body.report?.with_vectors === true;
    });
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    embeddings.holdUntil(isReleased);
    const { id } = await say(org, `${QUESTION} My card is ${CARD}.`);
    await eventually('a search', () => embeddings.held().some((text) => text.includes('My card')));
    await redact(org, { sessionId: id });
    await sleep(1_500);
    release();
    expect(await turnOf(org, id, 0)).toMatchObject({ state: 'superseded' });
    await turnOf(org, id, 1);
    await expectNoWords(org, id);
    await embeddings.close();
  });
});
