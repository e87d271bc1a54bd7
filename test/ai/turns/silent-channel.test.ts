import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { messagesOf, newAnsweringOrg, QUESTION, turnsOf } from '../answering-org.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

describe('a turn on a channel that nothing can be sent on', () => {
  it.each([
    ['I want to talk to a human', 'user_request'],
    ['May I keep a crocodile in the bath tub of the moon?', 'missing_knowledge'],
    [QUESTION, 'no_address'],
  ])('hands "%s" off with the reason %s', async (text, reason) => {
    const org = await newAnsweringOrg(stack);
    const { id } = (await org.post('/chat/sessions', { channel: { type: 'email' } })).body;
    await org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text } });
    const turn = await eventually('an ended turn', async () =>
      (await turnsOf(stack.db, id)).find(({ ended_at }) => ended_at !== null),
    );
    expect(turn).toMatchObject({ state: 'handed_off', reason });
    expect((await org.get(`/chat/sessions/${id}`)).body).toMatchObject({ handoff: { reason } });
    expect((await messagesOf(org, id)).map(({ sender }) => sender.type)).toEqual(['contact']);
  });

  it('hands an answer off with no_transport where the channel itself carries nothing', async () => {
    const org = await newAnsweringOrg(stack);
    await org.patch('/autopilot', { channel: 'phone', autopilot_enabled: true });
    const { id } = (await org.post('/chat/sessions', { channel: { type: 'phone_voice' } })).body;
    await org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text: QUESTION } });
    const reasons = await eventually('the handoff', async () => {
      const { handoff } = (await org.get(`/chat/sessions/${id}`)).body;
      return handoff !== null && [handoff.reason, (await turnsOf(stack.db, id))[0]?.reason];
    });
    expect(reasons).toEqual(['no_transport', 'no_transport']);
    expect(await messagesOf(org, id)).toHaveLength(1);
  });
});
