import { defaultPayloadConverter } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeModel, quoting, startFakeModel } from '../../support/fakes/model.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { unverified } from '../../widget/client.ts';
import { messagesOf, newAnsweringOrg, QUESTION, turnsOf } from '../answering-org.ts';

const SAID = 'You have the money back within five working days.';

let stack: Stack;
let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel((asked) => quoting(asked, 'five working days', SAID));
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await model.close();
});

it('shows in Temporal what a turn does, by summaries and ids, and no word that was said', async () => {
  const org = await newAnsweringOrg(stack);
  await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  const widget = await unverified(stack, org);
  const id = await widget.newSession();
  await widget.send(id, QUESTION);
  await eventually('an ended turn', async () => (await turnsOf(stack.db, id))[0]?.ended_at ?? undefined);
  expect((await messagesOf(org, id)).at(-1)?.content.text).toContain(SAID);

  const handle = stack.temporal.workflow.getHandle(`ai-turn/${id}`);
  await handle.result();
  const { events } = await handle.fetchHistory();
  const summaries = (events ?? []).flatMap(({ userMetadata }) =>
    userMetadata?.summary ? [defaultPayloadConverter.fromPayload<string>(userMetadata.summary)] : [],
  );
  expect(summaries).toEqual(
    expect.arrayContaining([
      'Answer the messages of the session’s contact',
      'look for unanswered messages, and answer if due',
      'turn 1: decide the answer',
      'turn 1: asking the model for an answer',
    ]),
  );
  const texts = Buffer.from(historyToJSON({ events })).toString();
  const payloads = [...texts.matchAll(/"data": ?"([A-Za-z0-9+/=]+)"/g)].map(([, data = '']) =>
    Buffer.from(data, 'base64').toString(),
  );
  const all = [texts, ...payloads].join('\n');
  expect(all).toContain(id);
  for (const word of ['refund', 'working days', 'Refunds', model.settings.api_key]) expect(all).not.toContain(word);
});
