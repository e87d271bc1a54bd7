import { sql } from 'kysely';
import { askForConfirmation } from '../../../src/ai/confirmations/service.ts';
import { addAiMessage } from '../../../src/conversations/ai/service.ts';
import { lockSession } from '../../../src/conversations/sessions/service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { addTurn, newAction, proposed } from '../../ai/calls/calling.ts';
import { smsStep } from '../../support/sequences.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import type { Stack } from '../../support/stack/stack.ts';
import { hostile } from './hostile.ts';

/** Somebody whom a CRM has sent to us, with a conversation. */
export async function person(org: TestOrg): Promise<{ contactId: string; otherId: string; sessionId: string }> {
  const contact = {
    name: hostile('contact-name'),
    email: 'person@evil.example',
    external_id: hostile('crm-contact-id'),
    custom_data: { [hostile('data-name').slice(0, 60)]: hostile('data-value') },
  };
  const made = await org.post('/contacts', { contact });
  expect([made.body.message, made.status]).toEqual([undefined, 201]);
  const other = await org.post('/contacts', {
    contact: { name: hostile('other-name'), email: 'other@evil.example', external_id: hostile('other-crm-id') },
  });
  const { body } = await org.post('/chat/sessions', { contact_id: made.body.id });
  const message = { type: 'text', text: hostile('message-text') };
  await org.post(`/chat/sessions/${body.id}/send`, { sender: 'contact', message });
  return { contactId: made.body.id, otherId: other.body.id, sessionId: body.id };
}

/** What another desk has written in a file, as the reason of an import says it. */
export async function desk({ db }: Stack, org: TestOrg): Promise<void> {
  await sql`
    insert into imports (org_id, id, source, resource, account, storage_key, size, actor, state, reason, ended_at)
    values (${org.id}, ${newId()}, 'zendesk', 'contacts', '', 'none', 1, '{"kind":"system","id":null,"name":null}', 'failed',
      ${hostile('import-reason')}, now())`.execute(db);
}

/** What a CRM answers about a handoff, as it is stored. */
export async function handoff({ db }: Stack, org: TestOrg, sessionId: string): Promise<void> {
  const handed = await org.post(`/chat/sessions/${sessionId}/handoff`, {
    reason: hostile('handoff-reason'),
  });
  expect([handed.body.message, handed.status < 300]).toEqual([undefined, true]);
  await sql`
    insert into crm_handoff_parts (org_id, session_id, part, position, state, external_id, error)
    values (${org.id}, ${sessionId}, 'ticket', 1, 'failed', ${hostile('crm-ticket-id')}, ${hostile('crm-error')})`.execute(
    db,
  );
  await sql`
    update sessions set summary = ${hostile('chat-summary')},
      handoff = jsonb_set(handoff, '{summary}', to_jsonb(${hostile('handoff-summary')}::text))
    where id = ${sessionId}`.execute(db);
}

/** What models, searches and shops answer in a turn of the AI, as it is stored. Returns the turn. */
export async function turn({ db, deps, url }: Stack, org: TestOrg, sessionId: string): Promise<string> {
  const added = await addTurn(db, org, sessionId);
  const steps = [
    {
      step: 1,
      purpose: 'search' as const,
      detail: { passages: [{ item_id: newId(), chunk: 0, score: 1, title: hostile('passage-title') }] },
      decision: { queries: [hostile('searched-words')] },
    },
    {
      step: 2,
      purpose: 'answer' as const,
      detail: { tries: [{ model: 'm', problem: hostile('model-problem'), latency_ms: 1 }] },
      decision: { dropped: [{ text: hostile('dropped-text'), because: 'no_quote' }] },
    },
  ];
  for (const { detail, decision, ...step } of steps)
    await sql`
      insert into ai_steps (org_id, turn_id, step, purpose, latency_ms, detail, decision)
      values (${org.id}, ${added.turnId}, ${step.step}, ${step.purpose}, 1, ${JSON.stringify(detail)}, ${JSON.stringify(decision)})`.execute(
      db,
    );
  const action = await newAction(org, 'https://shop.example', { confirm: 'always' });
  const call = await proposed(db, added, action, {
    arguments: { body_params: { order: hostile('call-order'), amount: 20 } },
  });
  await inTransaction(db, async (trx) => {
    const session = await lockSession(trx, org.id, sessionId);
    const messageId = newId();
    const terms = { publicUrl: url, language: 'en', format: 'markdown' as const, messageId };
    const asked = await askForConfirmation(trx, org.id, call, terms);
    if (asked === undefined) throw new Error('The call does not wait');
    const citations = [
      { item_id: newId(), title: hostile('cited-title'), url: 'javascript:window.isBroken=1', quote: hostile('quote') },
    ];
    const said = { id: messageId, agent: hostile('ai-name'), turnId: added.turnId, citations, calls: [], ...asked };
    await addAiMessage(trx, deps.sending, org.id, session, said);
  });
  const failed = { id: newId(), reason: hostile('call-reason') };
  await sql`
    insert into ai_calls (org_id, id, session_id, turn_id, epoch, action_id, operation_id, name, fingerprint, state, reason, ended_at)
    values (${org.id}, ${failed.id}, ${sessionId}, ${added.turnId}, 1, ${action}, 'refund', ${hostile('call-name')}, 'f', 'failed',
      ${failed.reason}, now())`.execute(db);
  return added.turnId;
}

/** What an insight says and quotes, as it is stored. Returns the insight. */
export async function insight({ db }: Stack, org: TestOrg, sessionId: string): Promise<string> {
  const ids = [newId(), newId()];
  for (const [n, id] of ids.entries()) {
    await sql`
      insert into insights (org_id, id, root_id, number, content, named_by, occurrence_count, first_seen_at, last_seen_at)
      values (${org.id}, ${id}, ${id}, ${n + 101}, ${hostile(`insight-${n}`)}, 'quote', 1, now(), now())`.execute(db);
    await sql`
      insert into insight_statements (org_id, id, session_id, message_id, own_insight_id, insight_id, kind, content, quote, said_at)
      values (${org.id}, ${newId()}, ${sessionId}, ${newId()}, ${id}, ${id}, 'problem', ${hostile(`statement-${n}`)},
        ${hostile(`said-${n}`)}, now())`.execute(db);
    await sql`
      insert into insight_sessions (org_id, insight_id, session_id, channel, status, session_created_at)
      values (${org.id}, ${id}, ${sessionId}, 'api', 'open', now())`.execute(db);
  }
  await sql`
    insert into insight_proposals (org_id, id, insight_id, other_id, similarity)
    values (${org.id}, ${newId()}, ${ids[0]}, ${ids[1]}, 0.9)`.execute(db);
  return ids[0] as string;
}

/** What providers of messages answer, as it is stored. Returns a delivery, and a sequence that the contact is in. */
export async function provider({ db }: Stack, org: TestOrg, contactId: string) {
  const deliveryId = newId();
  const answers = [
    { attempt: 1, at: new Date().toISOString(), outcome: 'unknown', answer: hostile('provider-answer') },
  ];
  await sql`
    insert into deliveries (org_id, id, channel, "to", status, reason, contact_id, answers)
    values (${org.id}, ${deliveryId}, 'sms', '+4915112345678', 'unknown', ${hostile('delivery-reason')}, ${contactId},
      ${JSON.stringify(answers)})`.execute(db);
  await org.put('/integrations/crm', { provider: 'hubspot', settings: { access_token: 'a-token' } });
  await sql`
    update integrations set connected = false, failing_since = now(), last_error_at = now(), last_error = ${hostile('integration-error')}
    where org_id = ${org.id} and kind = 'crm'`.execute(db);
  const steps = [smsStep('Hello', 60)];
  const { id: sequenceId } = (await org.post('/sequences', { name: 'Welcome', filter: null, steps })).body;
  const { body } = await org.post(`/sequences/${sequenceId}/contacts`, { contacts: [{ id: contactId }] });
  expect(body).toMatchObject({ enrolled: 1 });
  await sql`
    update sequences set status = 'paused', paused_at = now(), paused_reason = ${hostile('paused-reason')}
    where id = ${sequenceId}`.execute(db);
  return { deliveryId, sequenceId };
}

/** A case for the AI is made of a conversation. */
export async function evalCase(org: TestOrg, sessionId: string): Promise<void> {
  const made = { name: 'An order', session_id: sessionId, checks: { ends: 'answered' } };
  expect((await org.post('/autopilot/evals', made)).status).toBe(201);
}

/** An assistant asks whether it may send a message. Returns its request. */
export async function assistant(org: TestOrg, sessionId: string): Promise<string> {
  const params = { name: 'send_message', arguments: { id: sessionId, text: hostile('assistant-text') } };
  const headers = { accept: 'application/json, text/event-stream' };
  const { body } = await org.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { headers });
  return /assistants\?id=([\w-]+)/.exec(JSON.stringify(body))?.[1] ?? '';
}

/** A colleague of few rights names a tag, and the audit says so. */
export async function audited(org: TestOrg): Promise<void> {
  const made = await org.put('/tags', { tag_name: hostile('tag-name').slice(0, 50) });
  expect([made.body.message, made.status < 300]).toEqual([undefined, true]);
}
