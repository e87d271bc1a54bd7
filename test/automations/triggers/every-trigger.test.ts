import { setTimeout as sleep } from 'node:timers/promises';
import { TRIGGER_TYPES, type TriggerType } from '../../../src/automations/blocks/schema.ts';
import { addMember } from '../../../src/orgs/members/service.ts';
import { newAnsweringOrg } from '../../ai/answering-org.ts';
import { connectVapi, FAKES_ALLOWED, newNumber, untilDelivery } from '../../support/channels.ts';
import { type FakeModel, startFakeModel } from '../../support/fakes/model.ts';
import { type FakeVapi, type FakeVapiCall, startFakeVapi } from '../../support/fakes/vapi.ts';
import { emailStep } from '../../support/sequences.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate, expectRunsAsDescribed } from '../../support/triggers.ts';

/** The longest of them: the least target of a resolution is five minutes. */
const LIMIT_MS = 420_000;
const TARGETS = { first_reply_target_seconds: 60, next_reply_target_seconds: 60, resolution_target_seconds: 300 };
const CONFIGURATIONS: Partial<Record<TriggerType, object>> = {
  'ai-trigger': { description: 'Books seats.' },
  'cron-trigger': { cron: '* * * * *' },
  'form-trigger': { fields: [{ name: 'name', type: 'text' }] },
  'ticket-inactive': { minutes: 1 },
};
const LINK = /https?:\/\/\S+\/csat\/\S+/;

let stack: Stack;
let vapi: FakeVapi;
let model: FakeModel;
let org: TestOrg;
const workflows = new Map<TriggerType, { id: string; url: string }>();
beforeAll(async () => {
  vapi = await startFakeVapi();
  model = await startFakeModel();
  stack = await startStack({ env: { ...FAKES_ALLOWED, DEVELOPMENT: 'true' } });
  org = await newAnsweringOrg(stack, { autopilot: false });
  await org.patch('/org/settings', {
    csat: true,
    csat_survey: { channels: ['email'], delay_minutes: 0 },
    prohibited_topics: ['medical advice'],
  });
  await org.put('/email/inboxes', { address: 'help@acme.example', is_default_sender: true });
  await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true, ai_agent_version: 'v2' });
  const policy = (await org.post('/sla/policies', { name: 'Web', ...TARGETS })).body.id;
  await org.put(`/sla/policies/${policy}/assignment`, { channels: ['web'] });
  await connectVapi(org, vapi);
  for (const trigger_type of TRIGGER_TYPES)
    workflows.set(
      trigger_type,
      await activate(org, { trigger_type, trigger_configuration: CONFIGURATIONS[trigger_type] }),
    );
});
afterAll(async () => {
  await stack.close();
  await model.close();
  await vapi.close();
});

const workflowOf = (type: TriggerType) => workflows.get(type) as { id: string; url: string };
const anybody = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const newContact = async (more: object = {}) =>
  (await org.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com`, ...more } })).body
    .id as string;
const newSession = async (type = 'web', more: object = {}) =>
  (await org.post('/chat/sessions', { contact_id: await newContact(), channel: { type }, ...more })).body.id as string;
const say = (id: string, text: string, sender = 'contact') =>
  org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text } }, { headers: { prefer: 'wait=0' } });

/** A call that is answered, passed on and ended. */
let call: Promise<FakeVapiCall> | undefined;
const madeCall = () =>
  (call ??= (async () => {
    const agent = (await org.post('/phone', { name: 'R', type: 'outbound', first_message: 'Good day!' })).body.id;
    const to = newNumber();
    const { body } = await org.post('/phone/outbound-call', { phoneAgentId: agent, contact: { phoneNumber: to } });
    await untilDelivery(org, body.call_id, 'accepted');
    return vapi.calls.find(({ params }) => params.customer.number === to) as FakeVapiCall;
  })());
const replied = async () => {
  const id = await newSession();
  await say(id, 'Hello?');
  await say(id, 'Good day', 'agent');
  await say(id, 'My lamp is broken');
};
const unanswered = async () => say(await newSession(), 'Hello?');

/** What really fires each trigger. Nothing fires those of time but time. */
const FIRE: Record<TriggerType, () => Promise<unknown>> = {
  'manual-trigger': () => org.post(`/workflows/${workflowOf('manual-trigger').id}/trigger`, {}),
  'ai-trigger': async () => {
    model.say(({ isPlan, data }) => {
      const receipt = data.receipts?.at(-1)?.receipt;
      if (isPlan && receipt === undefined) return { calls: [{ name: 'ai_trigger', arguments: {} }] };
      if (isPlan) return { json: { language: 'en', queries: [] } };
      return {
        json: { kind: 'answer', language: 'en', covers: 'fully', parts: [{ text: 'I have done it.', receipt }] },
      };
    });
    await say(await newSession('api'), 'Please book two seats for me');
  },
  'cron-trigger': async () => undefined,
  'form-trigger': () => anybody(workflowOf('form-trigger').url, { name: 'Ada' }),
  webhook: () => anybody(workflowOf('webhook').url, { order: 1 }),
  'contact-created': () => newContact(),
  'phone-call-started': async () => vapi.callback(await madeCall(), 'in-progress'),
  'pre-voice-call-transfer': async () => vapi.callback(await madeCall(), 'forwarding'),
  'voice-call-transferred': async () => vapi.report(await madeCall(), 'assistant-forwarded-call'),
  'phone-call-finished': async () => vapi.callback(await madeCall(), 'ended'),
  'ticket-created': () => newSession(),
  'ticket-reassigned': async () => {
    const assignee_id = await addMember(stack.db, org.id, { email: `${crypto.randomUUID()}@example.com` });
    await org.post(`/chat/sessions/${await newSession()}/assign`, { assignee_id, team_id: null });
  },
  'ticket-resolved': async () => org.patch(`/chat/sessions/${await newSession()}`, { status: 'closed_resolved' }),
  'ticket-handoff': async () => org.post(`/chat/sessions/${await newSession()}/handoff`, { reason: 'angry' }),
  'pre-ticket-handoff': async () => org.post(`/chat/sessions/${await newSession()}/handoff`, { reason: 'angry' }),
  'ticket-tag-added': async () => {
    await org.put('/tags', { tag_name: 'VIP' });
    await org.post(`/chat/sessions/${await newSession()}/tags`, { tags: ['vip'] });
  },
  'ticket-inactive': unanswered,
  'sequence-completed': async () => {
    const { id } = (await org.post('/sequences', { name: 'S', filter: null, steps: [emailStep('1')] })).body;
    await org.post(`/sequences/${id}/contacts`, { contacts: [{ email: `${crypto.randomUUID()}@example.com` }] });
  },
  'csat-score-submit': async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const id = await newSession('email', { contact_id: await newContact({ email }) });
    await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    const url = await eventually(
      'the survey',
      () => stack.sink.to(email).flatMap(({ text }) => LINK.exec(text ?? '') ?? [])[0],
    );
    await fetch(url, { method: 'POST', body: new URLSearchParams({ score: '4', comment: 'Quick' }) });
  },
  'prohibited-topic-detected': async () => say(await newSession('api'), 'Can you give me medical advice?'),
  'sla-first-reply-warning': unanswered,
  'sla-first-reply-breached': unanswered,
  'sla-next-reply-warning': replied,
  'sla-next-reply-breached': replied,
  'sla-resolution-warning': unanswered,
  'sla-resolution-breached': unanswered,
};

it(
  'every trigger is fired by what it is named after, and its workflow runs to its end',
  async () => {
    for (const type of TRIGGER_TYPES) await FIRE[type]();
    const begin = performance.now();
    const unfired = new Set<TriggerType>(TRIGGER_TYPES);
    while (unfired.size > 0 && performance.now() - begin < LIMIT_MS) {
      for (const type of unfired) {
        const runs = await expectRunsAsDescribed(stack.db, workflowOf(type).id);
        if (runs.some(({ status }) => status === 'completed')) unfired.delete(type);
      }
      await sleep(500);
    }
    expect([...unfired]).toEqual([]);
  },
  LIMIT_MS + 120_000,
);
