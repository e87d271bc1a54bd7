import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeModel, quoting, startFakeModel } from '../../support/fakes/model.ts';
import { openEventStream, type ReceivedEvent } from '../../support/stack/event-stream.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { newAnsweringOrg, QUESTION } from '../answering-org.ts';

let stack: Stack;
let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel((asked) => quoting(asked, 'five working days', 'Within five working days.'));
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await model.close();
});

const newsIn = (events: ReceivedEvent[]) => events.filter(({ data }) => data.event.type === 'ai_turn');

describe('live events of a turn', () => {
  it('say that it began, what it does and how it ended, and can be resumed; the history does not keep them', async () => {
    const org = await newAnsweringOrg(stack);
    await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
    const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
    const ofOrg = await openEventStream(`${stack.url}/events`, { key: org.key });
    const stream = await openEventStream(`${stack.url}/chat/sessions/${id}/events`, { key: org.key });
    await org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text: QUESTION } });
    const [turn] = (await org.get(`/chat/sessions/${id}/turns`)).body.items;
    await eventually('the end of the turn', () => newsIn(stream.events).at(-1)?.data.event.state === 'answered');
    const news = newsIn(stream.events).map(({ data }) => data.event);
    expect(news).toEqual([
      { type: 'ai_turn', id: turn.id, state: 'running', label: 'Looking for an answer' },
      { type: 'ai_turn', id: turn.id, state: 'running', label: 'Writing an answer' },
      { type: 'ai_turn', id: turn.id, state: 'answered', label: 'Answered' },
    ]);
    await eventually('the org’s events', () => newsIn(ofOrg.events).length === news.length);
    expect(newsIn(ofOrg.events).map(({ data }) => data)).toEqual(newsIn(stream.events).map(({ data }) => data));
    const [first] = newsIn(stream.events);
    const resumed = await openEventStream(`${stack.url}/chat/sessions/${id}/events`, {
      key: org.key,
      headers: { 'last-event-id': first?.id ?? '' },
    });
    await eventually('the rest', () => newsIn(resumed.events).length === news.length - 1);
    const { items } = (await org.get(`/chat/sessions/${id}/history`)).body;
    expect(items.map(({ event }: { event: { type: string } }) => event.type)).toEqual(['message', 'message']);
    for (const one of [ofOrg, stream, resumed]) one.cut();
  });
});
