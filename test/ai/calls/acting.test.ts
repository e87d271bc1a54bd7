import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../../src/db/connect.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { startEncodedReceiver } from '../../support/fakes/encoded-receiver.ts';
import { errorAfter, type Fault, resetAfter, startFaultyServer } from '../../support/fakes/faulty-server.ts';
import { type FakeModel, startFakeModel } from '../../support/fakes/model.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { messagesOf, newAnsweringOrg } from '../answering-org.ts';

let stack: Stack;
let model: FakeModel;
let shop: Awaited<ReturnType<typeof startFaultyServer>>;
let fault: Fault | undefined;
/** What the shop has done, one entry for each effect. */
let effects: { method: string; body: string }[];
beforeAll(async () => {
  model = await startFakeModel();
  shop = await startFaultyServer(
    ({ method, body }) => {
      if (method !== 'GET') effects.push({ method, body });
      return { status: 200, body: method === 'GET' ? { order: 98, status: 'packed' } : { booking: 4711 } };
    },
    ({ method }) => (method === 'GET' ? undefined : fault),
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
  fault = undefined;
  model.asked.length = 0;
});

const BODY = {
  content: {
    'application/json': { schema: { type: 'object', properties: { seats: { type: 'integer' } }, required: ['seats'] } },
  },
  required: true,
};
const action = (name: string, request_type: 'GET' | 'POST', more: object = {}) => ({
  name,
  operation_id: name.toLowerCase().replaceAll(' ', '.'),
  api_endpoint: `${shop.url}/${name.replaceAll(' ', '-')}`,
  request_type,
  payload: request_type === 'GET' ? {} : { requestBody: BODY },
  enabled_on_channel: { channels: ['api'] },
  ...more,
});

async function newOrg(actions: object[], version = 'v2'): Promise<TestOrg> {
  const org = await newAnsweringOrg(stack);
  await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true, ai_agent_version: version });
  for (const one of actions) expect(await org.post('/actions', one)).toMatchObject({ status: 201 });
  return org;
}

/** A model that calls these functions in turn, and then says something of the last receipt. */
const calling = (...names: string[]) => model.say(callingInTurn(...names));
const callingInTurn =
  (...names: string[]): Parameters<FakeModel['say']>[0] =>
  ({ isPlan, data, tools }) => {
    const left = names.slice(data.receipts?.length ?? 0);
    const [name] = left;
    if (isPlan && name !== undefined && tools.includes(name))
      return { calls: [{ name, arguments: name === 'book' ? { body_params: { seats: 2 } } : {} }] };
    if (isPlan) return { json: { language: 'en', queries: ['booking'] } };
    const receipt = data.receipts?.at(-1);
    const text = receipt?.text.includes('4711') ? 'I have booked it, number 4711.' : 'Your order 98 is packed.';
    return { json: { kind: 'answer', language: 'en', covers: 'fully', parts: [{ text, receipt: receipt?.receipt }] } };
  };

async function say(org: TestOrg, text: string, session?: string) {
  const id = session ?? (await org.post('/chat/sessions', { channel: { type: 'api' } })).body.id;
  await org.post(
    `/chat/sessions/${id}/send`,
    { sender: 'contact', message: { type: 'text', text } },
    { headers: { prefer: 'wait=0' } },
  );
  return id as string;
}
const turnOf = (org: TestOrg, id: string, nth = 0) =>
  eventually('an ended turn', async () => {
    const { body } = await org.get(`/chat/sessions/${id}/turns`);
    return body.items[nth]?.ended_at === null ? undefined : body.items[nth];
  });
/** Has Postgres end the first attempt to store a step with this purpose, as when it shuts down. */
const failOnce = (db: Db, purpose: string) =>
  sql`
    do $$ begin
      create sequence attempts;
      create function end_first_attempt() returns trigger language plpgsql as $body$ begin
        if nextval('attempts') = 1 then raise exception 'shutting down' using errcode = '57P01'; end if;
        return new;
      end $body$;
      create trigger ends_once before insert on ai_steps for each row
        when (new.purpose = ${sql.lit(purpose)}) execute function end_first_attempt();
    end $$
  `.execute(db);
const purposesOf = (turn: { steps: { purpose: string }[] }) => turn.steps.map(({ purpose }) => purpose);
const lastTextOf = async (org: TestOrg, id: string) => (await messagesOf(org, id)).at(-1)?.content.text;

describe('a turn that acts', () => {
  it('calls an action once and says what its receipt shows', async () => {
    calling('book');
    const org = await newOrg([action('Book', 'POST')]);
    const id = await say(org, 'Please book two seats for me');
    const turn = await turnOf(org, id);
    expect(turn).toMatchObject({ state: 'answered', reason: null, agent: 'helpful' });
    expect(purposesOf(turn)).toEqual(['gates', 'plan', 'call', 'plan', 'answer']);
    expect(turn.steps[2].calls).toMatchObject([
      { operation_id: 'book', state: 'done', arguments: { body_params: { seats: 2 } }, response: { booking: 4711 } },
    ]);
    expect(effects).toEqual([{ method: 'POST', body: '{"seats":2}' }]);
    expect((await messagesOf(org, id)).at(-1)).toMatchObject({
      content: { text: 'I have booked it, number 4711.' },
      action_calls: [{ id: turn.steps[2].calls[0].id, operation_id: 'book', state: 'done' }],
    });
  });

  it('goes on after an effect while the contact writes, and answers that in the next turn', async () => {
    const { promise: isWritten, resolve: hasWritten } = Promise.withResolvers<void>();
    const script = callingInTurn('book');
    model.say(async (asked) => {
      if (asked.isPlan && asked.data.receipts?.length) await isWritten;
      return script(asked);
    });
    const org = await newOrg([action('Book', 'POST')]);
    const id = await say(org, 'Please book two seats for me');
    const planned = () => model.asked.filter(({ isPlan }) => isPlan).length;
    await eventually('a plan after the effect', async () => (planned() === 2 ? true : undefined));
    for (let nth = 1; nth <= 5; nth++) {
      await say(org, `My seats should be near window ${nth}`, id);
      await sleep(500);
    }
    expect(planned()).toBe(2);
    hasWritten();
    expect(await turnOf(org, id)).toMatchObject({ state: 'answered', reason: null });
    expect(await turnOf(org, id, 1)).toMatchObject({ state: 'answered', reason: null });
    expect(effects).toHaveLength(1);
  });

  it('makes no call where the contact has written again before it, though nobody has heard of that yet', async () => {
    const org = await newOrg([action('Book', 'POST')]);
    const { promise: session, resolve: hasSession } = Promise.withResolvers<string>();
    const script = callingInTurn('book');
    model.say(async (asked) => {
      if (!asked.isPlan || model.asked.length > 1) return script({ ...asked, tools: [] });
      await sql
        .raw(`
          create or replace function lose_event() returns trigger language plpgsql as 'begin return null; end';
          create or replace trigger loses_events before insert on outbox for each row
            when (new.org_id = '${org.id}' and new.kind = 'event') execute function lose_event();
        `)
        .execute(stack.db);
      await say(org, 'No, do not!', await session);
      return script(asked);
    });
    const id = await say(org, 'Please book two seats for me');
    hasSession(id);
    expect(await turnOf(org, id)).toMatchObject({ state: 'superseded' });
    expect((await turnOf(org, id, 1)).answers).toHaveLength(2);
    expect(effects).toEqual([]);
  });

  it('sends the body in the media type of the action', async () => {
    const receiver = await startEncodedReceiver();
    model.say(({ isPlan, data, tools }) => {
      if (isPlan && !data.receipts?.length && tools.includes('claim'))
        return {
          calls: [{ name: 'claim', arguments: { body_params: { seats: 2, photo: 'data:image/png;base64,iVA=' } } }],
        };
      if (isPlan) return { json: { language: 'en', queries: [] } };
      const receipt = data.receipts?.at(-1)?.receipt;
      return {
        json: { kind: 'answer', language: 'en', covers: 'fully', parts: [{ text: 'It is claim 4711.', receipt }] },
      };
    });
    const properties = { seats: { type: 'integer' }, photo: { type: 'string', format: 'binary' } };
    const content = { 'multipart/form-data': { schema: { type: 'object', properties } } };
    const claim = { payload: { requestBody: { content } }, api_endpoint: `${receiver.url}/claims` };
    const org = await newOrg([action('Claim', 'POST', claim)]);
    await turnOf(org, await say(org, 'Please claim my two seats'));
    expect(receiver.received).toEqual([
      {
        contentType: expect.stringMatching(/^multipart\/form-data; boundary=/),
        content: [
          ['photo', 'photo', 'image/png', 'iVA='],
          ['seats', '2'],
        ],
      },
    ]);
    await receiver.close();
  });

  it('calls as many actions in one turn as the settings allow, and still answers', async () => {
    model.say(({ isPlan, data }) => {
      const seats = (data.receipts?.length ?? 0) + 1;
      if (isPlan) return { calls: [{ name: 'find', arguments: { query_params: { seats } } }] };
      const receipt = data.receipts?.at(-1)?.receipt;
      const parts = [{ text: 'Your order 98 is packed.', receipt }];
      return { json: { kind: 'answer', language: 'en', covers: 'fully', parts } };
    });
    const parameters = [{ name: 'seats', in: 'query', schema: { type: 'integer' } }];
    const org = await newOrg([action('Find', 'GET', { payload: { parameters } })]);
    const id = await say(org, 'Where is my order?');
    const turn = await turnOf(org, id);
    expect(turn).toMatchObject({ state: 'answered', reason: null });
    expect(purposesOf(turn).filter((purpose) => purpose === 'call')).toHaveLength(4);
  });

  it('does not call the same again in the conversation, but has its receipt', async () => {
    model.say(({ isPlan, data, messages }) => {
      const isPlanned = messages.at(-1)?.content.includes('Plan the next step') && isPlan;
      const hasCalled = model.asked.filter((one) => one.isPlan).length % 2 === 0;
      if (isPlanned && !hasCalled) return { calls: [{ name: 'book', arguments: { body_params: { seats: 2 } } }] };
      if (isPlan) return { json: { language: 'en', queries: [] } };
      const receipt = data.receipts?.[0];
      return {
        json: {
          kind: 'answer',
          language: 'en',
          covers: 'fully',
          parts: [{ text: 'I have booked it, number 4711.', receipt: receipt?.receipt }],
        },
      };
    });
    const org = await newOrg([action('Book', 'POST')]);
    const id = await say(org, 'Please book two seats for me');
    await turnOf(org, id);
    await say(org, 'Did you book the two seats?', id);
    expect(await turnOf(org, id, 1)).toMatchObject({ state: 'answered' });
    expect(effects).toHaveLength(1);
  });

  it('asks before it changes something after it has read what others wrote, and does it after “yes”, once', async () => {
    calling('find', 'book');
    const org = await newOrg([action('Find', 'GET'), action('Book', 'POST')]);
    const id = await say(org, 'Is my order there? Then book two seats');
    expect(await turnOf(org, id)).toMatchObject({ state: 'asked', reason: null });
    expect(effects).toEqual([]);
    expect(await lastTextOf(org, id)).toMatch(/Book[\s\S]*seats[\s\S]*2[\s\S]*\/a\//);
    await say(org, 'yes', id);
    const report = await turnOf(org, id, 1);
    expect(report).toMatchObject({ state: 'answered' });
    expect(effects).toHaveLength(1);
  });

  it('does nothing after “no”', async () => {
    calling('book');
    const org = await newOrg([action('Book', 'POST', { confirm: 'always' })]);
    const id = await say(org, 'Please book two seats for me');
    expect(await turnOf(org, id)).toMatchObject({ state: 'asked' });
    await say(org, 'no', id);
    expect(await turnOf(org, id, 1)).toMatchObject({ state: 'answered' });
    expect(effects).toEqual([]);
  });

  it.each<[string, Fault, string, number]>([
    ['was refused', { answer: { status: 422 }, when: 'before' }, 'action_failed', 0],
    ['ended without an answer', resetAfter, 'action_outcome_unknown', 1],
    ['failed after its effect', errorAfter(500), 'action_outcome_unknown', 1],
  ])('hands off where a call %s, and sends it once', async (_, coming, reason, count) => {
    fault = coming;
    calling('book');
    const org = await newOrg([action('Book', 'POST')]);
    const id = await say(org, 'Please book two seats for me');
    expect(await turnOf(org, id)).toMatchObject({ state: 'handed_off', reason });
    expect(effects).toHaveLength(count);
    expect(await lastTextOf(org, id)).not.toContain('4711');
  });

  it('says that the outcome of a call is not known also where the database went away before that step was stored', async () => {
    fault = resetAfter;
    calling('book');
    const org = await newOrg([action('Book', 'POST')]);
    await failOnce(stack.db, 'call');
    const id = await say(org, 'Please book two seats for me');
    expect(await turnOf(org, id)).toMatchObject({ state: 'handed_off', reason: 'action_outcome_unknown' });
    expect(effects).toHaveLength(1);
  });

  it('calls nothing for an unverified contact where the action wants a verified one', async () => {
    calling('book');
    const org = await newOrg([action('Book', 'POST', { requires_verified: true })]);
    const id = await say(org, 'Please book two seats for me');
    expect(await turnOf(org, id)).toMatchObject({ state: 'handed_off', reason: 'identity_required' });
    expect(effects).toEqual([]);
  });

  it('refuses an answer that calls what is not there, as a whole', async () => {
    model.say(({ isPlan }) =>
      isPlan
        ? {
            calls: [
              { name: 'book', arguments: { body_params: { seats: 2 } } },
              { name: 'drop_all', arguments: {} },
            ],
          }
        : { text: '{}' },
    );
    const org = await newOrg([action('Book', 'POST')]);
    const id = await say(org, 'Please book two seats for me');
    expect(await turnOf(org, id)).toMatchObject({ agent: 'extractive-1' });
    expect(effects).toEqual([]);
  });

  it.each<[string, string]>([
    ['NUL', '{"query_params":{"order":"\\u0000"}}'],
    ['half a surrogate', '{"query_params":{"order":"\\ud83d"}}'],
    ['a name with NUL', '{"query_params":{"or\\u0000der":"98"}}'],
    ['a name of half a surrogate', '{"query_params":{"\\udc00":"98"}}'],
    ['more levels than are read', `{"query_params":${'['.repeat(200)}${']'.repeat(200)}}`],
  ])('does not take a call whose arguments cannot be stored, with %s, but asks again', async (_, given) => {
    const script = callingInTurn('find');
    model.say((asked) => (model.asked.length === 1 ? { calls: [{ name: 'find', arguments: given }] } : script(asked)));
    const org = await newOrg([action('Find', 'GET')]);
    const id = await say(org, 'Where is my order?');
    const turn = await turnOf(org, id);
    expect(turn).toMatchObject({ state: 'answered', reason: null, agent: 'helpful' });
    expect(turn.steps[1].tries).toMatchObject([{ problem: 'malformed' }, { problem: null }]);
    expect(model.asked).toHaveLength(4);
  });

  it('plans on after a call in the text of the answer that could not be stored as it is', async () => {
    const script = callingInTurn('find');
    const calls = [{ action: 'find', arguments: { '\0': { '\ud83d': 1 } } }];
    model.say((asked) => (model.asked.length === 1 ? { json: { language: 'en', queries: [], calls } } : script(asked)));
    const org = await newOrg([action('Find', 'GET')]);
    const turn = await turnOf(org, await say(org, 'Where is my order?'));
    expect(turn).toMatchObject({ state: 'answered', reason: null, agent: 'helpful' });
    expect(turn.steps[2].calls).toMatchObject([{ state: 'refused' }]);
  });

  it('refuses arguments with problems that are told of in more characters than are kept', async () => {
    const script = callingInTurn('find');
    const names = Object.fromEntries(['', 'x'].map((odd) => [`${odd}${'😀'.repeat(400)}`, 1]));
    model.say((asked) =>
      model.asked.length === 1 ? { calls: [{ name: 'find', arguments: { query_params: names } }] } : script(asked),
    );
    const org = await newOrg([action('Find', 'GET')]);
    const turn = await turnOf(org, await say(org, 'Where is my order?'));
    expect(turn).toMatchObject({ state: 'answered', agent: 'helpful' });
    expect(turn.steps[2].calls).toMatchObject([{ state: 'refused' }]);
  });

  it.each([
    ['the version of the agent only answers', 'v1', {}],
    ['the action is not for the channel', 'v2', { enabled_on_channel: { channels: ['web'] } }],
  ])('plans no calls where %s', async (_, version, more) => {
    calling('book');
    const org = await newOrg([action('Book', 'POST', more)], version);
    const id = await say(org, 'Please book two seats for me');
    await turnOf(org, id);
    expect(model.asked.some(({ isPlan }) => isPlan)).toBe(false);
    expect(effects).toEqual([]);
  });

  it('stops after as many calls as the settings allow', async () => {
    model.say(({ isPlan }) =>
      isPlan ? { calls: [{ name: 'book', arguments: { body_params: { seats: model.asked.length } } }] } : { text: 'x' },
    );
    const org = await newOrg([action('Book', 'POST', { confirm: 'auto' })]);
    await org.patch('/autopilot/settings', { max_calls: 1 });
    await org.post('/autopilot/settings/publish');
    const id = await say(org, 'Please book two seats for me');
    await turnOf(org, id);
    expect(effects).toHaveLength(1);
  });
});
