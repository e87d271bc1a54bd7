import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { unverified } from '../../widget/client.ts';
import { ARTICLES, messagesOf, newAnsweringOrg, turnsOf } from '../answering-org.ts';

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

describe('a turn of the AI without a model', () => {
  it('answers a question by a quote of what the org has published, with a link to its page', async () => {
    const org = await newAnsweringOrg(stack);
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, 'How long does a refund take?');
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
    });
    await widget.send(id, 'Hello?');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await turnsOf(stack.db, id)).toHaveLength(1);
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
    for (let nth = 1; nth < count; nth++) await widget.send(id, `One moment ${nth}`);
    await widget.send(id, 'How long does a refund take?');
    const turns = await endedTurns(id, 1);
    expect(turns).toHaveLength(1);
    expect(turns[0]?.answers).toHaveLength(count);
    expect((await messagesOf(org, id)).filter(({ sender }) => sender.type === 'ai')).toHaveLength(1);
  });

  it('says nothing where autopilot is off, and begins where it is turned on', async () => {
    const org = await newAnsweringOrg(stack, { autopilot: false });
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, 'How long does a refund take?');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await turnsOf(stack.db, id)).toEqual([]);
    await org.patch('/autopilot', { channel: 'web', autopilot_enabled: true });
    await widget.send(id, 'Anybody there? How long does a refund take?');
    expect(await endedTurns(id, 1)).toMatchObject([{ state: 'answered' }]);
  });

  it('uses no article of another org', async () => {
    const owner = await newAnsweringOrg(stack);
    const org = await newAnsweringOrg(stack, { articles: [] });
    expect(ARTICLES.length).toBeGreaterThan(0);
    const widget = await unverified(stack, org);
    const id = await widget.newSession();
    await widget.send(id, 'How long does a refund take?');
    expect(await endedTurns(id, 1)).toMatchObject([{ state: 'handed_off', reason: 'missing_knowledge' }]);
    expect((await messagesOf(org, id)).every(({ citations }) => citations === undefined)).toBe(true);
    expect(owner.id).not.toBe(org.id);
  });
});
