import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { IS_LONG } from '../../faults/support/sizes.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { unverified, type Widget } from '../../widget/client.ts';
import { ARTICLES, messagesOf, newAnsweringOrg, QUESTION, turnsOf } from '../answering-org.ts';

/** In the long tier 1,000 a variant, as many as make any order likely. */
const NONE_BEGINS_MS = 5_000;
const TAKEOVERS = IS_LONG ? 100 : 10;
const PARTS = Array.from({ length: IS_LONG ? 10 : 1 }, (_, nth) => nth + 1);
/** Within it a turn has mostly ended. */
const TAKEOVER_WITHIN_MS = IS_LONG ? 4_000 : 1_500;
/** The same for turns that need no workflow. */
const TAKEOVER_AT_ONCE_MS = 100;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const endedTurns = (sessionId: string, count: number) =>
  eventually(`${count} ended turns`, async () => {
    const turns = await turnsOf(stack.db, sessionId);
    return turns.length >= count && turns.every(({ ended_at }) => ended_at !== null) ? turns : undefined;
  });

/** Waits until a session's turns have ended. People may have been faster than the first: then none begins. */
async function untilSilent(sessionId: string, takenOverAt: number): Promise<void> {
  await eventually('the end of the turns', async () => {
    const turns = await turnsOf(stack.db, sessionId);
    return turns.length > 0
      ? turns.every(({ ended_at }) => ended_at !== null)
      : Date.now() > takenOverAt + NONE_BEGINS_MS;
  });
}

/** Loses the events from which turns are told that people have an org's sessions. */
const dropEventsOfTakeovers = (orgId: string) =>
  sql
    .raw(`
      create or replace function drop_event() returns trigger language plpgsql as 'begin return null; end';
      create or replace trigger drop_events_of_takeovers before insert on outbox for each row
        when (new.org_id = '${orgId}' and (new.type in ('ticket-reassigned', 'pre-ticket-handoff', 'ticket-handoff')
          or new.type = 'message-created' and new.payload ->> 'sender' <> 'contact'))
        execute function drop_event();
    `)
    .execute(stack.db);

/** Sends a message without waiting for the answer. */
const hurry = (widget: Widget, session_id: string, content: string) =>
  widget.post('chat/send', { uuid: crypto.randomUUID(), content, session_id }, { prefer: 'wait=0' });

describe('a turn of the AI without a model', () => {
  it('answers a question by a quote of what the org has published, with a link to its page', async () => {
    const org = await newAnsweringOrg(stack);
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, QUESTION);
    const [turn] = await endedTurns(id, 1);
    expect(turn).toMatchObject({ state: 'answered', reason: null, agent: 'extractive-1', number: 1 });
    const [, answer] = await messagesOf(org, id);
    expect(answer).toMatchObject({
      sender: { type: 'ai' },
      agent: 'extractive-1',
      citations: [{ title: 'Refunds', quote: expect.stringContaining('five working days') }],
    });
    expect(answer?.content.text).toContain('> Refunds arrive within five working days');
    expect(answer?.content.text).toContain(`[Refunds](${answer?.citations?.[0]?.url})`);
    expect((await org.get(`/chat/sessions/${id}`)).body).toMatchObject({ waiting_on: 'customers', handoff: null });
  });

  it('hands off what it has no answer to at the default level, with the reason', async () => {
    const org = await newAnsweringOrg(stack);
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, 'Does the zeppelin fly to Kathmandu on Thursdays?');
    const [turn] = await endedTurns(id, 1);
    expect(turn).toMatchObject({ state: 'handed_off', reason: 'missing_knowledge' });
    expect((await org.get(`/chat/sessions/${id}`)).body).toMatchObject({
      ai_closure_type: 'handed_off',
      handoff: { reason: 'missing_knowledge' },
      waiting_on: 'human_agents',
    });
    expect((await org.get('/inbox?view=waiting')).body.items).toMatchObject([
      { id, waiting_since: expect.any(String) },
    ]);
    expect((await org.get('/handoff-analytics')).body).toMatchObject({
      total_handoffs: 1,
      reasons: [{ reason: 'insufficient_knowledge', count: 1, percentage: 100 }],
    });
    await widget.send(id, 'Hello?');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect((await turnsOf(stack.db, id)).slice(1).map(({ reason }) => reason)).not.toContain(null);
    expect((await messagesOf(org, id)).at(-1)?.sender.type).toBe('contact');
  });

  it.each([
    ['I want to talk to a human please', 'handed_off', 'user_request'],
    ['Ich möchte mit einem Menschen sprechen', 'handed_off', 'user_request'],
    ['thanks!', 'skipped', 'acknowledgement'],
  ])('ends for “%s” as %s, %s', async (text, state, reason) => {
    const org = await newAnsweringOrg(stack);
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, text);
    expect(await endedTurns(id, 1)).toMatchObject([{ state, reason }]);
  });

  it.each([2, 5, 20])('answers a burst of %i messages with one turn', async (count) => {
    const org = await newAnsweringOrg(stack);
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    for (let nth = 1; nth < count; nth++) await hurry(widget, id, `One moment ${nth}`);
    await hurry(widget, id, QUESTION);
    const turns = await endedTurns(id, 1);
    expect(turns).toHaveLength(1);
    expect(turns[0]?.answers).toHaveLength(count);
    expect((await messagesOf(org, id)).filter(({ sender }) => sender.type === 'ai')).toHaveLength(1);
  });

  it('says nothing where autopilot is off, and begins where it is turned on', async () => {
    const org = await newAnsweringOrg(stack, { autopilot: false });
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, QUESTION);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await turnsOf(stack.db, id)).toEqual([]);
    await org.patch('/autopilot', { channel: 'web', autopilot_enabled: true });
    await widget.send(id, `Again: ${QUESTION}`);
    expect(await endedTurns(id, 1)).toMatchObject([{ state: 'answered' }]);
  });

  it('uses no article of another org', async () => {
    const owner = await newAnsweringOrg(stack);
    const org = await newAnsweringOrg(stack, { articles: [] });
    expect(ARTICLES.length).toBeGreaterThan(0);
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, QUESTION);
    expect(await endedTurns(id, 1)).toMatchObject([{ state: 'handed_off', reason: 'missing_knowledge' }]);
    expect((await messagesOf(org, id)).every(({ citations }) => citations === undefined)).toBe(true);
    expect(owner.id).not.toBe(org.id);
  });

  it('gives the widget the answer with the message, and shows it in the poll', async () => {
    const org = await newAnsweringOrg(stack);
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    const { body } = await widget.send(id, QUESTION);
    expect(body).toMatchObject({
      success: true,
      sessionIsHandedOff: false,
      autopilotResponse: {
        type: 'text',
        value: { error: false, content: expect.stringContaining('five working days') },
        mightSolveUserIssue: true,
        completelyAndFullyCoveredUserIssue: true,
        citations: [{ title: 'Refunds' }],
      },
      session: { assignee: { kind: 'ai' } },
    });
    const { history } = await widget.poll(id);
    expect(history.at(-1)).toMatchObject({ publicId: body.autopilotResponse.id, sender: { kind: 'ai' } });
    expect((await widget.send(id, 'I want to talk to a human')).body).toMatchObject({
      sessionIsHandedOff: true,
      session: { isHandedOff: true, assignee: { kind: 'none' } },
    });
    expect((await widget.send(id, 'Still there?')).body).toMatchObject({ code: 'session_assigned_to_human_agent' });
  });

  it('answers a widget’s message once that arrives twice at once, and again later', async () => {
    const org = await newAnsweringOrg(stack);
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    const uuid = crypto.randomUUID();
    const both = await Promise.all([widget.send(id, QUESTION, { uuid }), widget.send(id, QUESTION, { uuid })]);
    const [first, repeated] = both.sort((a, b) => Number('code' in a.body) - Number('code' in b.body));
    expect(first?.body.autopilotResponse.value).toMatchObject({ error: false, content: expect.any(String) });
    expect(repeated?.body).toMatchObject({ success: true, code: 'duplicate_message_ignored' });
    expect(repeated?.body).not.toHaveProperty('autopilotResponse');
    const later = await widget.send(id, QUESTION, { uuid });
    expect(later.body).toMatchObject({ success: true, code: 'duplicate_message_ignored' });
    expect(await widget.said(id)).toEqual([
      ['user', QUESTION],
      ['ai', first?.body.autopilotResponse.value.content],
    ]);
    expect(await turnsOf(stack.db, id)).toMatchObject([{ state: 'answered', answers: [uuid] }]);
  });

  it('shows the answer in the poll to a widget that does not wait for it', async () => {
    const org = await newAnsweringOrg(stack);
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    const { body } = await hurry(widget, id, QUESTION);
    expect(body).toMatchObject({ success: true, sessionIsHandedOff: false });
    expect(body).not.toHaveProperty('autopilotResponse');
    const { session, history } = await eventually('the answer in the poll', async () => {
      const polled = await widget.poll(id);
      return polled.history.length > 1 ? polled : undefined;
    });
    expect(history.map(({ sender }: { sender: { kind: string } }) => sender.kind)).toEqual(['user', 'ai']);
    expect(session).toMatchObject({ assignee: { kind: 'ai' }, isHandedOff: false });
  });

  it('gives API clients the answer within the wait they prefer, once per Idempotency-Key', async () => {
    const org = await newAnsweringOrg(stack);
    const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
    const message = { sender: 'contact', message: { type: 'text', text: QUESTION } };
    const atOnce = await org.post(`/chat/sessions/${id}/send`, message, { headers: { prefer: 'wait=0' } });
    expect(atOnce.body.data).toEqual({ success: true, sessionIsHandedOff: false });
    await endedTurns(id, 1);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const next = { ...message, message: { type: 'text', text: 'For how many years are gift cards valid?' } };
    const sent = await org.post(`/chat/sessions/${id}/send`, next, { headers });
    expect(sent.status).toBe(201);
    expect(sent.body.data).toHaveProperty('autopilotResponse.id');
    const again = await org.post(`/chat/sessions/${id}/send`, next, { headers });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(sent.body);
    expect(await turnsOf(stack.db, id)).toHaveLength(2);
  });

  it.each(
    PARTS.flatMap((part) => [
      ['whenever that happens', part, false, 0.3] as const,
      ['also where nothing tells the turn of it', part, true, 0.3] as const,
      ['also where the turn needs no workflow', part, false, 0] as const,
    ]),
  )('says nothing after a person took over, %s, part %i', async (_, __, isUntold, quietSeconds) => {
    const org = await newAnsweringOrg(stack);
    if (isUntold) await dropEventsOfTakeovers(org.id);
    await org.patch('/autopilot/settings', { quiet_seconds: { api: quietSeconds }, cap_seconds: { api: 1 } });
    await org.post('/autopilot/settings/publish');
    const takeovers = await Promise.all(
      Array.from({ length: TAKEOVERS }, async (_, nth) => {
        const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
        const ask = { sender: 'contact', message: { type: 'text', text: QUESTION } };
        await org.post(`/chat/sessions/${id}/send`, ask, { headers: { prefer: 'wait=0' } });
        if (nth % 10 === 9) await endedTurns(id, 1);
        else await sleep(Math.random() * (quietSeconds === 0 ? TAKEOVER_AT_ONCE_MS : TAKEOVER_WITHIN_MS));
        await org.post(`/chat/sessions/${id}/send`, {
          sender: 'agent',
          message: { type: 'text', text: 'I have it.' },
          should_take_over_session_from_ai: true,
        });
        return { id, at: Date.now() };
      }),
    );
    let spoke = 0;
    for (const { id, at } of takeovers) {
      await untilSilent(id, at);
      const senders = (await messagesOf(org, id)).map(({ sender }) => sender.type);
      expect(senders.indexOf('ai', senders.indexOf('human_agent'))).toBe(-1);
      if (senders.includes('ai')) spoke++;
    }
    expect(spoke).toBeGreaterThan(0);
    if (quietSeconds > 0) expect(spoke).toBeLessThan(TAKEOVERS);
  });

  it('answers again once people have returned the session, first what waits for a reply', async () => {
    const org = await newAnsweringOrg(stack);
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, 'I want to talk to a human');
    await widget.send(id, QUESTION);
    expect((await org.post(`/chat/sessions/${id}/return-to-ai`)).status).toBe(200);
    await eventually('the answer', async () => (await messagesOf(org, id)).at(-1)?.agent === 'extractive-1');
    expect((await messagesOf(org, id)).at(-1)?.content.text).toContain('five working days');
    expect((await org.get(`/chat/sessions/${id}`)).body).toMatchObject({ handoff: null, assignee_id: null });
  });

  it('waits for the customer in a session that is returned with nothing to answer', async () => {
    const org = await newAnsweringOrg(stack);
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, QUESTION);
    await endedTurns(id, 1);
    await org.post(`/chat/sessions/${id}/handoff`, {});
    const waiting = { waiting_on: 'human_agents', waiting_since: expect.any(String) };
    expect((await org.get(`/chat/sessions/${id}`)).body).toMatchObject(waiting);
    expect((await org.post(`/chat/sessions/${id}/return-to-ai`)).status).toBe(200);
    const returned = { waiting_on: 'customers', waiting_since: null };
    expect((await org.get(`/chat/sessions/${id}`)).body).toMatchObject(returned);
  });

  it('resolves the session where the customer says that the issue is solved', async () => {
    const org = await newAnsweringOrg(stack);
    await org.patch('/org/settings', { generate_summary_and_sentiment_on_resolve: true });
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, QUESTION);
    await widget.send(id, 'That solved it, thanks!');
    expect((await org.get(`/chat/sessions/${id}`)).body).toMatchObject({
      status: 'closed_resolved',
      ai_closure_type: 'resolved',
      summary: expect.stringContaining(`Customer: ${QUESTION}`),
      summary_by: 'extractive-1',
    });
    const { body } = await org.get(`/chat/sessions/${id}/history`);
    const actors = body.items.map(({ event, actor }: { event: { type: string }; actor: { kind: string } }) => [
      event.type,
      actor.kind,
    ]);
    expect(actors).toEqual([
      ['message', 'contact'],
      ['message', 'ai'],
      ['message', 'contact'],
      ['ai_resolved_issue', 'ai'],
      ['status_changed', 'ai'],
    ]);
  });

  it('calls a session resolved where the customer presses the button, until it is opened again', async () => {
    const org = await newAnsweringOrg(stack);
    const widget = await unverified(stack, org);
    const closureOf = async (id: string) => (await org.get(`/chat/sessions/${id}`)).body.ai_closure_type;
    const id = await widget.newSession();
    await widget.send(id, QUESTION);
    await widget.post('session/resolve', { session_id: id });
    expect(await closureOf(id)).toBe('resolved');
    await widget.send(id, 'Do couriers bring small parcels by bicycle within the city?');
    expect(await closureOf(id)).toBeNull();

    const human = await widget.newSession();
    await widget.send(human, 'I want to talk to a human');
    await widget.post('session/resolve', { session_id: human });
    expect(await closureOf(human)).toBe('handed_off');
    const unanswered = await widget.newSession();
    await widget.post('session/resolve', { session_id: unanswered });
    expect(await closureOf(unanswered)).toBeNull();
  });

  it('resolves a session whose contact stays quiet after an answer, where the org has set that', async () => {
    const org = await newAnsweringOrg(stack);
    await org.patch('/autopilot/settings', { assume_resolved_after_minutes: 1 });
    await org.post('/autopilot/settings/publish');
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, QUESTION);
    await stack.db
      .updateTable('session_events')
      .set({ created_at: sql<Date>`created_at - interval '2 minutes'` })
      .where('session_id', '=', id)
      .execute();
    await stack.temporal.workflow.getHandle(`ai-turn/${id}`).signal('wake');
    await eventually('the resolution', async () => (await org.get(`/chat/sessions/${id}`)).body.status !== 'open');
    expect((await org.get(`/chat/sessions/${id}`)).body.ai_closure_type).toBe('assumed_resolved');
  });

  it('shows what it did and why: gates, search, scores, sources', async () => {
    const org = await newAnsweringOrg(stack);
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, QUESTION);
    const { body } = await org.get(`/chat/sessions/${id}/turns`);
    expect(body.items).toMatchObject([
      {
        number: 1,
        state: 'answered',
        steps: [
          { purpose: 'gates', detail: { kind: 'go_on', isSolved: false } },
          {
            purpose: 'search',
            detail: { result: 'answered', score: expect.any(Number), threshold: expect.any(Number) },
          },
        ],
        citations: [{ title: 'Refunds', quote: expect.any(String), hash: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      },
    ]);
    const [turn] = body.items;
    expect((await org.get(`/autopilot/turns/${turn.id}`)).body).toEqual(turn);
    const cited = await org.get(`/autopilot/turns?cited_item_id=${turn.citations[0].item_id}`);
    expect(cited.body.items).toEqual([turn]);
    expect((await stack.other.get(`/autopilot/turns/${turn.id}`)).status).toBe(404);
    expect((await stack.other.get(`/chat/sessions/${id}/turns`)).status).toBe(404);
  });

  it('tells workflows of a prohibited topic, and hands the session off', async () => {
    const org = await newAnsweringOrg(stack);
    await org.patch('/org/settings', { prohibited_topics: ['medical advice', 'Aktien'] });
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, 'Can you give me MEDICAL advice about refunds?');
    const [turn] = await endedTurns(id, 1);
    expect(turn).toMatchObject({ state: 'handed_off', reason: 'prohibited_topic' });
    expect((await messagesOf(org, id)).at(-1)?.content.text).toMatch(/cannot help with this topic/);
  });

  it('says the org’s own sentence about a prohibited topic', async () => {
    const org = await newAnsweringOrg(stack);
    const prohibited_topic_message = 'Please ask your doctor. Bitte fragen Sie Ihren Arzt.';
    const settings = { prohibited_topics: ['medical advice'], prohibited_topic_message };
    expect(await org.patch('/org/settings', settings)).toMatchObject({ status: 200, body: settings });
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, 'Can you give me medical advice?');
    await endedTurns(id, 1);
    expect((await messagesOf(org, id)).at(-1)?.content.text).toBe(prohibited_topic_message);
  });
});
