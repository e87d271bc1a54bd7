import { sql } from 'kysely';
import { type CallRow, listCallsOfSession } from '../../../src/ai/calls/service.ts';
import {
  askForConfirmation,
  decideConfirmation,
  expireConfirmations,
  type Question,
} from '../../../src/ai/confirmations/service.ts';
import { addAiMessage } from '../../../src/conversations/ai/service.ts';
import { lockSession } from '../../../src/conversations/sessions/service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fakes/provider.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { untilOneWaits } from '../../support/stack/lock-waits.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { unverified, type Widget } from '../../widget/client.ts';
import { messagesOf, newAnsweringOrg, QUESTION, turnsOf } from '../answering-org.ts';
import { addTurn, newAction, proposed } from '../calls/calling.ts';

const EVIL = '<b>A-1</b> [x](https://evil.example) `y`';

let stack: Stack;
let shop: FakeProvider;
let org: TestOrg;
let widget: Widget;
let sessionId: string;

beforeAll(async () => {
  stack = await startStack({ env: FAKES_ALLOWED });
  shop = await startFakeProvider();
});
afterAll(async () => {
  await shop.close();
  await stack.close();
});
beforeEach(async () => {
  shop.calls.length = 0;
  org = await newAnsweringOrg(stack);
  widget = await unverified(stack, org);
  sessionId = await widget.newSession();
  await widget.send(sessionId, QUESTION);
});

interface Asked extends Question {
  call: CallRow;
  /** The path of the link. */
  path: string;
}

/** Proposes a call and asks for its confirmation, as a turn does. */
async function ask(
  fields: object = { confirm: 'always' },
  given: object = { order: 'A-1', amount: 20 },
): Promise<Asked> {
  const turn = await addTurn(stack.db, org, sessionId);
  const action = await newAction(org, shop.url, fields);
  return askAbout(await proposed(stack.db, turn, action, { arguments: { body_params: given } }));
}

/** Asks for the confirmation of a call. */
async function askAbout(call: CallRow): Promise<Asked> {
  const question = await inTransaction(stack.db, async (trx) => {
    const session = await lockSession(trx, org.id, sessionId);
    const id = newId();
    const terms = { publicUrl: stack.url, language: 'en', format: 'markdown' as const, messageId: id };
    const asked = await askForConfirmation(trx, org.id, call, terms);
    if (asked === undefined) throw new Error('The call does not wait');
    const { text, confirmation } = asked;
    const message = { id, text, agent: 'extractive-1', turnId: call.turn_id, citations: [], calls: [], confirmation };
    await addAiMessage(trx, stack.deps.sending, org.id, session, message);
    return asked;
  });
  return { ...question, call, path: new URL(/https?:\S+\/a\/\S+/.exec(question.text)?.[0] ?? 'x:none').pathname };
}

const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
const decideBy = (path: string, decision: string) => stack.client().post(path, `decision=${decision}`, form);
const stateOf = async (id: string) =>
  (await stack.db.selectFrom('ai_calls').select('state').where('id', '=', id).executeTakeFirstOrThrow()).state;
const told = (text: string) =>
  eventually(`the message “${text}”`, async () => (await messagesOf(org, sessionId)).at(-1)?.content.text === text);
const sendWithoutWaiting = (content: string) =>
  widget.post('chat/send', { uuid: crypto.randomUUID(), content, session_id: sessionId }, { prefer: 'wait=0' });

/** Has Postgres refuse the end of every turn, as when it shuts down, while `work` goes on. */
async function whileNoTurnEnds(work: () => Promise<void>): Promise<void> {
  await sql`
    do $$ begin
      create function refuse_end() returns trigger language plpgsql as $body$ begin
        raise exception 'shutting down' using errcode = '57P01';
      end $body$;
      create trigger refuses_end before update on ai_turns for each row
        when (new.ended_at is not null) execute function refuse_end();
    end $$
  `.execute(stack.db);
  try {
    await work();
  } finally {
    await sql`drop function refuse_end cascade`.execute(stack.db);
  }
}

const expire = (id: string) =>
  stack.db
    .updateTable('ai_calls')
    .set({ expires_at: sql<Date>`now() - interval '1 second'` })
    .where('id', '=', id)
    .execute();

describe('the question of a confirmation', () => {
  it('is worded by us from the action and all its arguments, and none of them becomes markup or a link', async () => {
    const { text, confirmation, call } = await ask({ name: 'Refund *now*', confirm: 'always' }, { order: EVIL });
    expect(text).toMatch(
      /^Please confirm: Refund now\n- `order`: `<b>A-1<\/b> \[x\]\(https:\/\/evil\.example\) 'y'`\n\nReply/,
    );
    expect(confirmation).toEqual({
      id: call.id,
      text: 'Please confirm: Refund now',
      fields: [{ name: 'order', value: EVIL }],
      expires_at: expect.any(String),
    });
    const { history } = await widget.poll(sessionId);
    expect(history.at(-1)).toMatchObject({ confirmation, systemMessagePayload: { type: 'none' }, content: { text } });
    expect((await messagesOf(org, sessionId)).at(-1)).toMatchObject({ confirmation });
    const row = await stack.db.selectFrom('ai_calls').selectAll().where('id', '=', call.id).executeTakeFirstOrThrow();
    expect(row.token_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(row)).not.toContain(text.split('/a/')[1]);
  });

  it('is gone from the history once the session is redacted, with the arguments and the link', async () => {
    const { call, path } = await ask();
    expect((await org.post('/redaction/session', { sessionId })).status).toBe(200);
    await eventually('the redaction of the call', async () => (await stateOf(call.id)) === 'expired');
    const { body } = await org.get(`/chat/sessions/${sessionId}/history`);
    expect(JSON.stringify(body)).not.toContain('A-1');
    expect(await listCallsOfSession(stack.db, org.id, sessionId, 0)).toMatchObject([
      { arguments: null, token_hash: null },
    ]);
    expect((await stack.client().get(path)).status).toBe(404);
  });
});

it('an argument shows the characters that turn or hide its text as marks, in the question, the list and the page', async () => {
  const { text, confirmation, path } = await ask({ confirm: 'always' }, { order: 'A-1\u202e99\u2066\u200b שלום' });
  const fields = [{ name: 'order', value: 'A-1[U+202E]99[U+2066][U+200B] שלום' }];
  expect(confirmation?.fields).toEqual(fields);
  expect(text).toContain('`order`: `A-1[U+202E]99[U+2066][U+200B] שלום`');
  expect((await stack.client().get(path)).body).toContain('<dd>A-1[U+202E]99[U+2066][U+200B] שלום</dd>');
});

describe('the link of a confirmation', () => {
  it('only shows by GET and HEAD, and acts once by POST', async () => {
    const { path, call } = await ask(undefined, { order: EVIL });
    const prefetch = { headers: { purpose: 'prefetch', 'sec-purpose': 'prefetch' } };
    for (const options of [{}, prefetch]) {
      const page = await stack.client().get(path, options);
      expect(page).toMatchObject({ status: 200, body: expect.stringContaining('&lt;b&gt;A-1&lt;/b&gt;') });
      expect(page.body).toMatch(/<html lang="en">[\s\S]*<h1>Please confirm: Refund an order<\/h1>[\s\S]*<button/);
      expect(page.headers.get('cache-control')).toBe('no-store');
    }
    expect((await fetch(stack.url + path, { method: 'HEAD' })).status).toBe(200);
    expect(await stateOf(call.id)).toBe('needs_confirmation');

    const both = await Promise.all([decideBy(path, 'confirm'), decideBy(path, 'reject'), decideBy(path, 'confirm')]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await decideBy(path, 'confirm')).status).toBe(409);
    expect((await stack.client().get(path)).body).not.toContain('A-1');
  });

  it('confirms: the call is made once, and the contact is told', async () => {
    const { path, call } = await ask();
    expect(await decideBy(path, 'confirm')).toMatchObject({ status: 200, body: expect.stringContaining('confirmed') });
    await told('This has been done.');
    expect(await stateOf(call.id)).toBe('done');
    const sent = shop.calls.filter(({ headers }) => headers['idempotency-key'] === call.id);
    expect(sent).toMatchObject([{ method: 'POST' }]);
  });

  it('rejects: nothing is called, and the contact is told', async () => {
    const { path } = await ask();
    expect((await decideBy(path, 'reject')).status).toBe(200);
    await told('All right, we will not do this.');
    expect(shop.calls).toEqual([]);
  });

  it('two decisions in one form decide nothing', async () => {
    const { path, call } = await ask();
    for (const body of [
      'decision=reject&decision=confirm',
      'decision=confirm&decision=confirm',
      'decision[]=confirm',
    ]) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const { status } = await stack.client().post(path, body, { headers });
      expect({ body, status }).toEqual({ body, status: 400 });
    }
    const headers = { 'content-type': 'application/json' };
    const twice = '{"decision":"reject","decision":"confirm"}';
    expect((await stack.client().post(path, twice, { headers })).status).toBe(415);
    expect(await stateOf(call.id)).toBe('needs_confirmation');
    expect(shop.calls).toEqual([]);
  });

  it('is 410 once its time is over, and refuses what is no decision and no token', async () => {
    const { path, call } = await ask();
    expect((await decideBy(path, 'perhaps')).status).toBe(400);
    expect((await decideBy(`${path}x`, 'confirm')).status).toBe(404);
    expect((await stack.client().get('/a/none')).status).toBe(404);
    await expire(call.id);
    expect(await stack.client().get(path)).toMatchObject({ status: 410, body: expect.stringContaining('expired') });
    expect((await decideBy(path, 'confirm')).status).toBe(410);
    expect(await stateOf(call.id)).toBe('needs_confirmation');
    await expireConfirmations(stack.db);
    expect(await stateOf(call.id)).toBe('expired');
    expect((await decideBy(path, 'confirm')).status).toBe(410);
    expect(shop.calls).toEqual([]);
  });
});

describe('a confirmation', () => {
  it.each([
    ['Yes, please!', 'This has been done.', 1],
    ['no', 'All right, we will not do this.', 0],
  ])('is decided by the message “%s”', async (text, answer, calls) => {
    const { call } = await ask();
    const { body } = await widget.send(sessionId, text);
    expect(body.autopilotResponse.value.content).toBe(answer);
    expect(shop.calls).toHaveLength(calls);
    expect(await listCallsOfSession(stack.db, org.id, sessionId, 0)).toMatchObject([
      { id: call.id, confirmed_by: 'message' },
    ]);
  });

  it('is decided once where the message “yes” arrives while the link decides', async () => {
    const { call } = await ask();
    await stack.db.transaction().execute(async (trx) => {
      const decided = { state: 'confirmed', confirmed_by: 'link', decided_at: new Date() } as const;
      await trx.updateTable('ai_calls').set(decided).where('id', '=', call.id).execute();
      await sendWithoutWaiting('yes');
      await untilOneWaits(stack.db);
    });
    await told('This has been done.');
    expect(shop.calls).toHaveLength(1);
  });

  it('is decided by one message alone where two wait, also where its turn is repeated and “no” is written again', async () => {
    const { call: older } = await ask(undefined, { order: 'A-1' });
    const { call: newer } = await ask(undefined, { order: 'B-2' });
    await whileNoTurnEnds(async () => {
      await sendWithoutWaiting('no');
      await eventually('the decision', async () => (await stateOf(newer.id)) === 'rejected');
      await eventually('another try', async () => ((await turnsOf(stack.db, sessionId)).at(-1)?.tries ?? 0) > 1);
      await sendWithoutWaiting('no');
    });
    await told('All right, we will not do this.');
    expect(await stateOf(older.id)).toBe('needs_confirmation');
  });

  it('is not given by a “yes” to a newer question that the link answers at the same time', async () => {
    const { call: older } = await ask(undefined, { order: 'A-1' });
    const { call: newer, path } = await ask(undefined, { order: 'B-2' });
    await whileNoTurnEnds(async () => {
      await decideBy(path, 'confirm');
      await sendWithoutWaiting('yes');
    });
    await told('This has been done.');
    await eventually('the end of all turns', async () =>
      (await turnsOf(stack.db, sessionId)).every(({ ended_at }) => ended_at !== null),
    );
    expect([await stateOf(older.id), await stateOf(newer.id)]).toEqual(['needs_confirmation', 'done']);
    expect(shop.calls).toHaveLength(1);
  });

  it('is given to the question that was asked last, whichever call is older', async () => {
    const { call: older } = await ask(undefined, { order: 'A-1' });
    const { call: newer } = await ask(undefined, { order: 'B-2' });
    await askAbout(older);
    await widget.send(sessionId, 'yes');
    await told('This has been done.');
    expect([await stateOf(older.id), await stateOf(newer.id)]).toEqual(['done', 'needs_confirmation']);
  });

  it('is not given by a “yes” where the question was a draft for agents', async () => {
    await stack.db.updateTable('sessions').set({ assist_mode: true }).where('id', '=', sessionId).execute();
    const { call } = await ask();
    await sendWithoutWaiting('yes');
    await eventually('the turn', async () => ((await turnsOf(stack.db, sessionId))[2]?.ended_at ?? null) !== null);
    expect(await stateOf(call.id)).toBe('needs_confirmation');
    expect(shop.calls).toEqual([]);
  });

  it('is given by the widget of the visitor alone', async () => {
    const { call } = await ask();
    const decide = (by: Widget, body: object) => by.post(`confirmations/${call.id}`, body);
    expect((await decide(await unverified(stack, org), { decision: 'confirm' })).status).toBe(404);
    expect((await decide(await unverified(stack, stack.other), { decision: 'confirm' })).status).toBe(404);
    expect((await decide(widget, { decision: 'confirm', arguments: { body_params: { order: 'B-2' } } })).status).toBe(
      400,
    );
    expect((await decide(widget, { decision: 'maybe' })).status).toBe(400);
    expect(await decide(widget, { decision: 'confirm' })).toMatchObject({
      status: 200,
      body: { success: true, state: 'confirmed' },
    });
    expect((await decide(widget, { decision: 'confirm' })).status).toBe(409);
    await told('This has been done.');
    expect(JSON.parse(shop.calls[0]?.body ?? '')).toEqual({ order: 'A-1', amount: 20 });
  });

  it('a confirmation by a form can change the arguments, which are checked again', async () => {
    const limits = { '>': [{ var: 'body_params.amount' }, 100] };
    const { call } = await ask({ require_form_submission: true, limits });
    const decide = (given: object) =>
      widget.post(`confirmations/${call.id}`, { decision: 'confirm', arguments: { body_params: given } });
    expect(await decide({ order: 7 })).toMatchObject({
      status: 400,
      body: { error: { issues: [{ path: 'body.arguments.body_params.order' }] } },
    });
    expect(await decide({ order: 'B-2', amount: 500 })).toMatchObject({
      body: { state: 'needs_confirmation', needs: 'agent' },
    });
    expect((await decide({ order: 'B-2', amount: 5 })).status).toBe(409);
    expect(shop.calls).toEqual([]);
    expect((await org.post(`/autopilot/confirmations/${call.id}/confirm`)).body.state).toBe('confirmed');
    await told('This has been done.');
    expect(JSON.parse(shop.calls[0]?.body ?? '')).toEqual({ order: 'B-2', amount: 500 });
  });

  it('over the limits is an agent’s: listed, decided once, and no customer can give it', async () => {
    const { call, text, confirmation } = await ask({ limits: true });
    expect([text, confirmation]).toEqual(['This is being worked on. We will let you know here.', undefined]);
    expect((await widget.post(`confirmations/${call.id}`, { decision: 'confirm' })).status).toBe(409);
    const reader = await org.withScopes('autopilot:read');
    expect((await reader.get('/autopilot/confirmations')).body).toMatchObject({
      items: [{ id: call.id, needs: 'agent', needs_because: 'limits', fields: [{ name: 'order', value: 'A-1' }, {}] }],
      next: null,
    });
    const listFor = async (id: string) => (await reader.get(`/autopilot/confirmations?session_id=${id}`)).body.items;
    expect([(await listFor(sessionId)).length, await listFor(newId())]).toEqual([1, []]);
    const path = `/autopilot/confirmations/${call.id}`;
    expect((await reader.post(`${path}/confirm`)).status).toBe(403);
    expect((await stack.other.post(`${path}/confirm`)).status).toBe(404);
    const both = await Promise.all([org.post(`${path}/confirm`), org.post(`${path}/confirm`)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await org.post(`${path}/reject`)).status).toBe(409);
    await told('This has been done.');
    expect(shop.calls).toHaveLength(1);
    expect((await org.get('/autopilot/confirmations')).body.items).toEqual([]);
    expect((await org.get(`/autopilot/calls?session_id=${sessionId}`)).body.items).toMatchObject([
      { id: call.id, state: 'done', confirmed_by: 'agent', status: 200 },
    ]);
  });

  it('over the limits is rejected by an agent once, and no call is made', async () => {
    const { call } = await ask({ limits: true });
    const path = `/autopilot/confirmations/${call.id}`;
    const { status, body } = await org.post(`${path}/reject`);
    expect([status, body]).toEqual([200, expect.objectContaining({ id: call.id, state: 'rejected' })]);
    expect((await org.post(`${path}/reject`)).status).toBe(409);
    expect((await org.post(`${path}/confirm`)).status).toBe(409);
    expect((await org.get('/autopilot/confirmations')).body.items).toEqual([]);
    expect(shop.calls).toEqual([]);
  });

  it('makes no call after people have taken the session over', async () => {
    const { path, call } = await ask();
    await org.post(`/chat/sessions/${sessionId}/send`, {
      sender: 'agent',
      message: { type: 'text', text: 'I have it.' },
      should_take_over_session_from_ai: true,
    });
    expect([409, 410]).toContain((await decideBy(path, 'confirm')).status);
    await eventually('the end of the call', async () => (await stateOf(call.id)) === 'expired');
    expect(shop.calls).toEqual([]);
    expect((await stack.client().get(path)).status).toBe(410);
    expect((await decideBy(path, 'confirm')).status).toBe(410);
  });

  it('is refused while autopilot is off, and can be given once it is on again', async () => {
    const { path, call } = await ask();
    const setAutopilot = (autopilot_enabled: boolean) => org.patch('/autopilot', { channel: 'web', autopilot_enabled });
    await setAutopilot(false);
    expect((await decideBy(path, 'confirm')).status).toBe(409);
    expect(await stateOf(call.id)).toBe('needs_confirmation');
    await setAutopilot(true);
    expect((await decideBy(path, 'confirm')).status).toBe(200);
    await told('This has been done.');
    expect(shop.calls).toHaveLength(1);
  });

  it('is refused while the contact is blocked, whoever gives it', async () => {
    const { path, call } = await ask();
    const contact = sql`(select contact_id from sessions where id = ${sessionId})`;
    await sql`update contacts set email = 'ann@example.com' where id = ${contact}`.execute(stack.db);
    await org.post('/blocklist/contacts', { email: 'ann@example.com' });
    expect((await decideBy(path, 'confirm')).status).toBe(409);
    expect((await org.post(`/autopilot/confirmations/${call.id}/confirm`)).status).toBe(409);
    expect(await stateOf(call.id)).toBe('needs_confirmation');
  });

  it('makes no call later where the AI was turned off before it could', async () => {
    const { call } = await ask();
    await inTransaction(stack.db, async (trx) => {
      await decideConfirmation(trx, org.id, call.id, { decision: 'confirm', by: 'link' });
      await trx.updateTable('autopilot').set({ autopilot_enabled: false }).where('org_id', '=', org.id).execute();
    });
    await eventually('the end of the call', async () => (await stateOf(call.id)) === 'expired');
    await org.patch('/autopilot', { channel: 'web', autopilot_enabled: true });
    await widget.send(sessionId, QUESTION);
    expect(shop.calls).toEqual([]);
    expect((await messagesOf(org, sessionId)).map(({ content }) => content.text)).not.toContain('This has been done.');
  });

  it.each([
    [{ status: 503 }, 'unknown', 'action_outcome_unknown'],
    [{ status: 422 }, 'failed', 'action_failed'],
  ])(
    'a confirmed call that is answered with %o hands the session off, and claims nothing',
    async (answer, state, reason) => {
      const { path, call } = await ask();
      shop.next(answer);
      await decideBy(path, 'confirm');
      await eventually('the handoff', async () => (await org.get(`/chat/sessions/${sessionId}`)).body.handoff !== null);
      expect((await org.get(`/chat/sessions/${sessionId}`)).body.handoff.reason).toBe(reason);
      expect(await stateOf(call.id)).toBe(state);
      expect((await messagesOf(org, sessionId)).map(({ content }) => content.text)).not.toContain(
        'This has been done.',
      );
      expect(shop.calls).toHaveLength(1);
    },
  );
});
