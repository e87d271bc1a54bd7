import { askForConfirmation } from '../../../../src/ai/confirmations/service.ts';
import { addAiMessage } from '../../../../src/conversations/ai/service.ts';
import { lockSession } from '../../../../src/conversations/sessions/service.ts';
import { inTransaction } from '../../../../src/db/transaction.ts';
import { newId } from '../../../../src/ids.ts';
import { addTurn, newAction, proposed } from '../../../ai/calls/calling.ts';
import type { createPages } from '../../../support/console-pages.ts';
import { emailStep, inDomain } from '../../../support/sequences.ts';
import type { TestApi, TestOrg } from '../../../support/stack/api.ts';
import { seedKnowledge } from '../knowledge-seeds.ts';
import type { Seeds } from '../routes.ts';
import { seedSettings } from '../settings-seeds.ts';
import { seedTransfers } from '../transfer-seeds.ts';

type Pages = ReturnType<typeof createPages>;

/** Makes a conversation with all that a thread can show, and a request of an assistant. */
export async function seedAll(api: TestApi, pages: Pages): Promise<Seeds> {
  const { org } = api;
  await org.put('/tags', { tag_name: 'vip' });
  await org.post('/teams', { name: 'Second line' });
  await org.patch('/org/settings', { session_statuses: [{ id: 7, name: 'Waits for parts' }] });
  await org.post('/saved-replies', { shortcut: 'hi', title: 'Hello', text: 'Hello {{contact.name}}' });
  await org.post('/views', { name: 'VIP', query: { tag: 'vip' }, shared: 'org' });
  const { body: contact } = await org.post('/contacts', { contact: { name: 'Zoe', email: 'zoe@customer.example' } });
  const recipients = [{ to_email: 'zoe@customer.example', email_subject: 'Hi', email_body: 'Hi' }];
  await org.post('/email', { from_email: 'hello@acme.example', recipients });
  const { body } = await org.post('/chat/sessions', { contact_id: contact.id, channel: { type: 'email' } });
  const sessionId: string = body.id;
  await pages.say(sessionId, 'Where is my parcel?');
  await pages.say(sessionId, 'It is on its way.', 'agent');
  await api.db.updateTable('deliveries').set({ status: 'unknown' }).where('contact_id', '=', contact.id).execute();
  await org.post(`/chat/sessions/${sessionId}/notes`, { text: 'A good customer' });
  await org.post(`/chat/sessions/${sessionId}/tags`, { tags: ['vip'] });
  await askByAi(api, sessionId);
  for (const name of ['Ada', 'Ben']) await pages.conversation(name);
  const requestId = await askByAssistant(org, sessionId);
  const other = await org.post('/contacts', { contact: { name: 'Zoe K.', email: 'zk@customer.example' } });
  const seeded = { sessionId, contactId: contact.id, otherContactId: other.body.id, requestId };
  const settings = await seedSettings(org);
  await seedTransfers(api);
  return { ...seeded, ...settings, ...(await seedOutbound(org)), ...(await seedKnowledge(org)) };
}

/** Makes a segment, a sequence, and a workflow with a run. */
async function seedOutbound(org: TestOrg): Promise<Pick<Seeds, 'segmentId' | 'sequenceId' | 'workflowId' | 'runId'>> {
  const sequence = await org.post('/sequences', { name: 'Welcome', filter: null, steps: [emailStep('One')] });
  const filter = inDomain('customer.example');
  const segment = await org.post('/segments', {
    name: `Customers ${'who bought something '.repeat(8)}`.trim(),
    filter,
  });
  expect([segment.body.message, segment.status]).toEqual([undefined, 201]);
  const workflow_blocks = [{ $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 60 } }];
  const made = await org.post('/workflows', { name: 'Wait', trigger_type: 'manual-trigger', workflow_blocks });
  const workflowId: string = made.body.workflow_id;
  await org.post(`/workflows/${workflowId}/activate`, {});
  const { body: run } = await org.post(`/workflows/${workflowId}/trigger`, { input: {} });
  return { segmentId: segment.body.id, sequenceId: sequence.body.id, workflowId, runId: run.run_id };
}

/** Has the AI ask whether it may call an action, as a turn does. */
async function askByAi(api: TestApi, sessionId: string): Promise<void> {
  const turn = await addTurn(api.db, api.org, sessionId);
  const action = await newAction(api.org, 'https://shop.example', { confirm: 'always' });
  const call = await proposed(api.db, turn, action);
  await inTransaction(api.db, async (trx) => {
    const session = await lockSession(trx, api.org.id, sessionId);
    const messageId = newId();
    const terms = { publicUrl: api.url, language: 'en', format: 'markdown' as const, messageId };
    const asked = await askForConfirmation(trx, api.org.id, call, terms);
    if (asked === undefined) throw new Error('The call does not wait');
    const citations = [{ item_id: newId(), title: 'Refunds', url: 'https://shop.example/refunds', quote: 'Within' }];
    const said = { id: messageId, agent: 'helpful', turnId: call.turn_id, citations, calls: [], ...asked };
    await addAiMessage(trx, api.deps.sending, api.org.id, session, said);
  });
}

async function askByAssistant(org: TestOrg, sessionId: string): Promise<string> {
  const params = { name: 'send_message', arguments: { id: sessionId, text: 'Your parcel comes on Friday.' } };
  const headers = { accept: 'application/json, text/event-stream' };
  const { body } = await org.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { headers });
  return /assistants\?id=([\w-]+)/.exec(JSON.stringify(body))?.[1] ?? '';
}
