import { messagesOf, newCalibratedOrg, QUESTION, turnsOf } from '../ai/answering-org.ts';
import { eventually, type Stack } from '../support/stack/stack.ts';
import { emptyOutbox, hasWorkflow, receiveWebhooks, type Traces, tracesOf } from './scenario.ts';

const CONVERSATIONS = [
  [QUESTION],
  ['Hello!', QUESTION],
  ['I want to talk to a person, please.'],
  ['Which colour has the moon on Tuesdays in Ulan Bator?', 'Nothing of that helps me.'],
  [QUESTION, 'Thank you, that was all.'],
];

/** Conversations with the AI, which needs no model for them. */
export async function holdConversations(stack: Stack): Promise<Traces> {
  const org = await newCalibratedOrg(stack);
  const closeReceiver = await receiveWebhooks(org);
  const answers: unknown[] = [];
  const sessions: string[] = [];
  for (const messages of CONVERSATIONS) {
    const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
    sessions.push(id);
    for (const [place, text] of messages.entries()) {
      const { status, body } = await org.post(`/chat/sessions/${id}/send`, {
        sender: 'contact',
        message: { type: 'text', text },
      });
      answers.push({ status, body });
      await eventually('the end of its turn', async () => {
        const turns = await turnsOf(stack.db, id);
        return (
          (turns.length > place || turns.at(-1)?.state === 'handed_off') &&
          turns.every(({ ended_at }) => ended_at !== null)
        );
      });
      await emptyOutbox(stack, org);
    }
    answers.push(await messagesOf(org, id), (await org.get(`/chat/sessions/${id}`)).body);
  }
  const workflows = await Promise.all(sessions.map((id) => hasWorkflow(stack, `ai-turn/${id}`)));
  const traces = await tracesOf(stack, org, answers, { areAllByWorkflow: workflows.every(Boolean) });
  await closeReceiver();
  return traces;
}
