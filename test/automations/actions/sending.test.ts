import { newId } from '../../../src/ids.ts';
import { connectMeta, FAKES_ALLOWED, newNumber, untilDelivery, WHATSAPP_NUMBER } from '../../support/channels.ts';
import { type FakeMeta, startFakeMeta } from '../../support/fakes/meta.ts';
import { type FakeProvider, startFakeProvider } from '../../support/fakes/provider.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate, listRuns } from '../../support/triggers.ts';
import { createActionRunner, type RunAction } from '../action-runner.ts';

let stack: Stack;
let perform: RunAction;
let org: TestOrg;
let to: string;
beforeAll(async () => {
  stack = await startStack({ env: FAKES_ALLOWED });
  perform = createActionRunner(stack);
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
  to = newNumber();
});

const outbox = async () => (await org.get('/sandbox/outbox')).body.items;
const deliveries = async () => (await org.get('/deliveries')).body.items;
/** Runs a step twice with one dedupe key, as after a crash, and returns its output. */
async function twice(type: string, input: object) {
  const key = newId();
  const first = await perform(org, type, input, key);
  expect(await perform(org, type, input, key)).toMatchObject({ id: first.id });
  return first;
}

it('send-email sends each recipient one e-mail, even if the step runs twice', async () => {
  const mails = ['ada', 'bob'].map((name) => `${name}-${newId()}@example.com`);
  const recipients = mails.map((to_email) => ({ to_email, email_is_transactional: true }));
  const input = {
    from_email: 'hi@example.org',
    recipients,
    fallback_email_subject: 'Hi',
    fallback_email_body: 'There',
  };
  const { id, data } = await twice('send-email', input);
  expect(data.map(({ to_email }: { to_email: string }) => to_email)).toEqual(mails);
  for (const one of data) await untilDelivery(org, one.id, 'accepted');
  expect(data[0].id).toBe(id);
  expect(mails.map((address) => stack.sink.to(address).length)).toEqual([1, 1]);
  expect(await deliveries()).toHaveLength(2);
});

it('send-email sends another e-mail for another step', async () => {
  const input = {
    from_email: 'hi@example.org',
    recipients: [{ to_email: 'c@example.com', email_subject: 'S', email_body: 'B' }],
  };
  await perform(org, 'send-email', input, 'one');
  await perform(org, 'send-email', input, 'two');
  await perform(stack.other, 'send-email', input, 'one');
  expect(await deliveries()).toHaveLength(2);
});

it.each([
  ['HTML, by its element', { fallback_email_body: '<p>{{trigger.input.text}}</p>' }, true],
  ['HTML, as it says', { fallback_email_body: 'New: {{trigger.input.text}}', is_html: true }, true],
  ['text, by its words', { fallback_email_body: 'New: {{trigger.input.text}}' }, false],
  ['text, by one reference', { fallback_email_body: '{{trigger.input.text}}' }, false],
  ['text, as it says', { fallback_email_body: '<p>{{trigger.input.text}}</p>', is_html: false }, false],
])('send-email puts what others wrote into %s, and never as live HTML', async (_, body, isHtml) => {
  const address = `${newId()}@example.com`;
  const text = '<img src="https://evil.example/x"><b>Hi</b> & "bye"';
  const recipients = [{ to_email: address, email_is_transactional: true }];
  const input = { from_email: 'hi@example.org', recipients, fallback_email_subject: 'New', ...body };
  const step = { $kind: 'Action', id: 'mail', type: 'send-email', name: 'Mail', input };
  const { id } = await activate(org, { trigger_type: 'manual-trigger', workflow_blocks: [step] });
  await org.post(`/workflows/${id}/trigger`, { input: { text } });
  const mail = await eventually('the mail', () => stack.sink.to(address)[0]);
  expect(mail.text).toContain(text);
  if (isHtml)
    expect(mail.html).toContain('&lt;img src=&quot;https://evil.example/x&quot;&gt;&lt;b&gt;Hi&lt;/b&gt; &amp;');
  else expect(mail.html).toBe(false);
});

it('send-sms sends one SMS, even if the step runs twice, and accepts contact ids of its own org', async () => {
  const { id } = await twice('send-sms', { contact: { phone_number: to }, text: 'Hi' });
  await eventually('the SMS', async () => (await outbox()).length === 1);
  expect(await outbox()).toMatchObject([{ id, channel: 'sms', to, payload: { Body: 'Hi' } }]);
  const nobody = perform(org, 'send-sms', { contact: { id: newId() }, text: 'Hi' });
  await expect(nobody).rejects.toMatchObject({ kind: 'not_found' });
  const numberless = (await org.post('/contacts', { contact: { name: 'No number' } })).body.id;
  await expect(perform(org, 'send-sms', { contact: { id: numberless }, text: 'Hi' })).rejects.toThrow(/phone number/);
  await expect(perform(stack.other, 'send-sms', { contact: { id: numberless }, text: 'Hi' })).rejects.toMatchObject({
    kind: 'not_found',
  });
});

it('send-sms takes a number of the country of the org', async () => {
  await org.patch('/org/settings', { country: 'GB' });
  const contact = { phone_number: '{{trigger.input.phone}}' };
  const step = { $kind: 'Action', id: 'sms', type: 'send-sms', name: 'SMS', input: { contact, text: 'Hi' } };
  const { id } = await activate(org, { trigger_type: 'manual-trigger', workflow_blocks: [step] });
  await org.post(`/workflows/${id}/trigger`, { input: { phone: '020 7946 0958' } });
  await eventually('the SMS', async () => (await outbox()).length === 1);
  expect(await outbox()).toMatchObject([{ channel: 'sms', to: '+442079460958' }]);
});

it('send-sms sends nothing to a contact who opted out', async () => {
  await org.post('/suppressions', { channel: 'sms', address: to });
  const { id } = await perform(org, 'send-sms', { contact: { phone_number: to }, text: 'Hi' });
  await untilDelivery(org, id, 'suppressed');
  expect(await outbox()).toEqual([]);
});

describe('send-whatsapp-template', () => {
  const input = () => ({
    template_id: 'visit',
    phone_number_id: WHATSAPP_NUMBER,
    variables: ['Ada'],
    contact: { phone_number: to },
  });

  it('sends one message in one session, even if the step runs twice', async () => {
    const { id, session_id } = await twice('send-whatsapp-template', input());
    expect(await outbox()).toMatchObject([{ id, channel: 'whatsapp' }]);
    const { items } = (await org.get(`/chat/sessions/${session_id}/history`)).body;
    expect(items).toMatchObject([{ id, event: { content: { text: 'Template visit: Ada' } } }]);
  });

  it('continues the chain of runs where it opens a session, so that a workflow does not start itself for ever', async () => {
    const step = { $kind: 'Action', id: 'greet', type: 'send-whatsapp-template', name: 'Greet', input: input() };
    const { id } = await activate(org, { trigger_type: 'ticket-created', workflow_blocks: [step] });
    await org.post('/chat/sessions', {});
    await eventually('the second run', async () => (await listRuns(stack.db, id)).length > 1);
    await org.post(`/workflows/${id}/deactivate`, {});
    expect((await listRuns(stack.db, id)).slice(0, 2).map(({ depth }) => depth)).toEqual([0, 1]);
  });

  it('is sent by a retry of its run, once what prevented it is gone', async () => {
    const suppression = (await org.post('/suppressions', { channel: 'whatsapp', address: to })).body.id;
    const step = { $kind: 'Action', id: 'greet', type: 'send-whatsapp-template', name: 'Greet', input: input() };
    const { id } = await activate(org, { trigger_type: 'manual-trigger', workflow_blocks: [step] });
    const runId = (await org.post(`/workflows/${id}/trigger`, {})).body.run_id;
    const until = (status: string) =>
      eventually(status, async () => (await org.get(`/workflows/${id}/runs/${runId}`)).body.status === status);
    await until('failed');
    await org.delete(`/suppressions/${suppression}`);
    expect((await org.post(`/workflows/${id}/runs/${runId}/retry`, {})).status).toBe(200);
    await until('completed');
    expect(await outbox()).toMatchObject([{ channel: 'whatsapp', to }]);
  });

  describe('by WhatsApp itself', () => {
    let meta: FakeMeta;
    let away: FakeProvider;
    beforeAll(async () => {
      const components = [{ type: 'BODY', text: 'Good day, {{1}}' }];
      meta = await startFakeMeta([{ id: '2001', name: 'visit', language: 'en', components }]);
      away = await startFakeProvider();
    });
    afterAll(async () => {
      await meta.close();
      await away.close();
    });

    it('is tried again if WhatsApp does not show the template for now', async () => {
      await connectMeta(org, { ...meta, url: away.url });
      away.next({ status: 503 });
      const sent = perform(org, 'send-whatsapp-template', { ...input(), template_id: '2001' });
      await expect(sent).rejects.toMatchObject({ name: 'ProviderError', transient: true });
    });

    it('is found again by a second attempt, whatever has become of the template', async () => {
      await connectMeta(org, meta);
      const key = newId();
      const send = () => perform(org, 'send-whatsapp-template', { ...input(), template_id: '2001' }, key);
      const first = await send();
      const [template] = meta.templates;
      if (template !== undefined) template.status = 'PAUSED';
      expect(await send()).toMatchObject({ id: first.id, session_id: first.session_id });
      expect(meta.messages).toHaveLength(1);
    });
  });

  it('fails for a contact who opted out', async () => {
    await org.post('/suppressions', { channel: 'whatsapp', address: to });
    await expect(perform(org, 'send-whatsapp-template', input())).rejects.toMatchObject({ kind: 'conflict' });
    expect(await outbox()).toEqual([]);
  });
});

it('make-phone-call dials once, even if the step runs twice', async () => {
  const phoneAgentId = (await org.post('/phone', { name: 'Reminders', type: 'outbound' })).body.id;
  const call = { phoneAgentId, contact: { phoneNumber: to } };
  const { id, session_id } = await twice('make-phone-call', call);
  await eventually('the call', async () => (await outbox()).length === 1);
  expect(await outbox()).toMatchObject([{ id, channel: 'voice', to }]);
  expect((await org.get(`/chat/sessions/${session_id}`)).body.channel).toEqual({ type: 'phone_voice' });
  await expect(perform(stack.other, 'make-phone-call', call)).rejects.toMatchObject({ kind: 'not_found' });
});
