import { newId } from '../../../src/ids.ts';
import { metaSignature } from '../../../src/providers/meta/callbacks.ts';
import { twilioSignature } from '../../../src/providers/twilio/callbacks.ts';
import { callStep, createSequence, WHATSAPP_NUMBER, whatsAppStep } from '../../support/channels.ts';
import { emailStep, smsStep } from '../../support/sequences.ts';
import { type Answer, startApi, type TestApi } from '../../support/stack/api.ts';

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';
const pathsOf = ({ body }: Answer) => (body.issues ?? []).map(({ path }: { path: string }) => path);

describe('a request to send', () => {
  let api: TestApi;
  let agentId: string;
  beforeAll(async () => {
    api = await startApi();
    agentId = (await api.org.post('/phone', { name: 'Reminders', type: 'outbound' })).body.id;
  });
  afterAll(() => api.close());

  const deliveries = async () => (await api.org.get('/deliveries')).body.items;

  describe('by POST /sequences/{id}/test', () => {
    it.each([
      ['no address', ''],
      ['a number without its country', '020 7946 0958'],
      ['a number that is too short', '+1'],
      ['neither a number nor an e-mail address', 'Ann'],
      ['an e-mail address that is none', 'ann@'],
      ['two addresses', 'ann@example.com, bob@example.com'],
    ])('is refused for %s', async (_, to) => {
      const id = await createSequence(api.org, [emailStep('Hi'), smsStep('Hi')]);
      const answer = await api.org.post(`/sequences/${id}/test`, { to });
      expect([answer.status, pathsOf(answer)]).toEqual([400, ['body.to']]);
      expect(await deliveries()).toEqual([]);
    });

    it.each([
      ['a phone number where all steps are e-mails', emailStep('Hi'), '+442079460958', 'a phone number'],
      ['an e-mail address where no step is an e-mail', smsStep('Hi'), 'ann@example.com', 'an e-mail address'],
    ])('is refused for %s', async (_, step, to, kind) => {
      const id = await createSequence(api.org, [step]);
      const answer = await api.org.post(`/sequences/${id}/test`, { to });
      expect([answer.status, pathsOf(answer)]).toEqual([400, ['body.to']]);
      expect(answer.body.message).toContain(`no step of this sequence goes to ${kind}`);
    });

    it('is refused for contacts and sequences that do not exist or belong to another org', async () => {
      const id = await createSequence(api.org, [smsStep('Hi')]);
      const theirs = (await api.other.post('/contacts', { contact: { phone: '+442079460958' } })).body.id;
      const to = '+442079460958';
      for (const contact_id of [UNKNOWN_ID, theirs])
        expect((await api.org.post(`/sequences/${id}/test`, { to, contact_id })).status).toBe(404);
      expect((await api.org.post(`/sequences/${id}/test`, { to, contact_id: 'ann' })).status).toBe(400);
      expect((await api.other.post(`/sequences/${id}/test`, { to })).status).toBe(404);
      expect(await deliveries()).toEqual([]);
    });
  });

  describe('by POST /whatsapp/send-template', () => {
    it.each([
      ['a blank variable', { variables: ['Ada', ' \n'] }, 'body.variables.1'],
      ['variables that are no texts', { variables: [7] }, 'body.variables.0'],
      ['101 variables', { variables: Array(101).fill('a') }, 'body.variables'],
      ['variables by name', { variables: { name: 'Ada' } }, 'body.variables'],
      ['no template', { template_id: '' }, 'body.template_id'],
      ['no number to send from', { phone_number_id: undefined }, 'body.phone_number_id'],
      ['a contact by nothing', { contact: {} }, 'body.contact'],
      ['a contact by a number without its country', { contact: { phone_number: '7946 0958' } }, 'body.contact'],
      ['a session that is no id', { session_id: 'mine' }, 'body.session_id'],
    ])('is refused for %s, with the name of the field', async (_, more, path) => {
      const answer = await api.org.post('/whatsapp/send-template', {
        template_id: '1001',
        phone_number_id: WHATSAPP_NUMBER,
        variables: [],
        contact: { phone_number: '+442079460958' },
        ...more,
      });
      expect(answer.status).toBe(400);
      expect(pathsOf(answer).some((named: string) => named.startsWith(path))).toBe(true);
      expect(await deliveries()).toEqual([]);
    });
  });

  describe('by a sequence', () => {
    const named = (text: object, parameter_name?: string) => ({
      type: 'text',
      text,
      ...(parameter_name && { parameter_name }),
    });
    const constant = { type: 'CONSTANT', value: 'x' };
    it.each([
      ['an SMS without text', smsStep('')],
      ['an SMS that is too long', smsStep('x'.repeat(1_601))],
      ['an SMS with a template that is none', smsStep('Hi {{contact.nmae}}')],
      ['a call by no agent', callStep('')],
      [
        'a WhatsApp template whose parameters are half named',
        whatsAppStep('a', { body: { type: 'body', parameters: [named(constant, 'name'), named(constant)] } }),
      ],
      ...['', ' \n'].map((value): [string, object] => [
        `a WhatsApp constant that is blank: ${JSON.stringify(value)}`,
        whatsAppStep('a', { body: { type: 'body', parameters: [named({ type: 'CONSTANT', value })] } }),
      ]),
      [
        'a WhatsApp variable of no kind',
        whatsAppStep('a', { body: { type: 'body', parameters: [named({ type: 'CONTACT', ref: 'name' })] } }),
      ],
      [
        'a WhatsApp button that is the eleventh',
        whatsAppStep('a', { buttons: [{ type: 'button', index: '10', sub_type: 'url', parameters: [] }] }),
      ],
    ])('is refused for %s', async (_, step) => {
      const answer = await api.org.post('/sequences', { filter: null, steps: [step] });
      expect(answer.status).toBe(400);
      expect(pathsOf(answer)[0]).toMatch(/^body\.steps\.0\.action\.data\./);
    });
  });

  describe('outside of development, with nothing connected,', () => {
    let production: TestApi;
    beforeAll(async () => {
      production = await startApi({ env: { DEVELOPMENT: 'false' } });
    });
    afterAll(() => production.close());

    it('is refused with the integration to connect', async () => {
      const contact = { phone_number: '+442079460958' };
      const template = { template_id: '1001', phone_number_id: WHATSAPP_NUMBER, variables: [], contact };
      const sent = await production.org.post('/whatsapp/send-template', template);
      expect([sent.status, sent.body.message]).toEqual([409, expect.stringContaining('PUT /integrations/whatsapp')]);
      const { id } = (await production.org.post('/phone', { name: 'Reminders', type: 'outbound' })).body;
      const call = { phoneAgentId: id, contact: { phoneNumber: '+442079460958' } };
      const made = await production.org.post('/phone/outbound-call', call);
      expect([made.status, made.body.message]).toEqual([409, expect.stringContaining('PUT /integrations/voice')]);
      expect((await production.org.get('/deliveries')).body.items).toEqual([]);
      expect((await production.org.get('/contacts')).body.items).toEqual([]);
    });

    it('accepts no callbacks, not even signed with our own secrets', async () => {
      const { callbacks } = production.deps;
      const { id } = production.org;
      const form = new URLSearchParams({ MessageSid: 'SM1', MessageStatus: 'sent' });
      const twilio = callbacks.urlOf('twilio', id);
      const signature = twilioSignature(callbacks.secretsOf('twilio', id)[0], twilio, form);
      const sign = metaSignature(callbacks.secretsOf('meta', id)[0], Buffer.from('{}'));
      const requests: [url: string, headers: Record<string, string>, body: URLSearchParams | string][] = [
        [twilio, { 'x-twilio-signature': signature }, form],
        [callbacks.urlOf('meta', id), { 'x-hub-signature-256': sign }, '{}'],
        [callbacks.urlOf('vapi', id), { 'x-vapi-secret': callbacks.secretsOf('vapi', id)[0] }, '{}'],
      ];
      for (const [url, headers, body] of requests)
        expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(403);
    });
  });

  it('requires the scope of its channel', async () => {
    const reader = await api.org.withScopes('sequences:read', 'whatsapp:read', 'phone:read');
    const call = { phoneAgentId: agentId, contact: { phoneNumber: '+442079460958' } };
    expect((await reader.post('/phone/outbound-call', call)).status).toBe(403);
    expect((await reader.post('/whatsapp/send-template', {})).status).toBe(403);
    expect((await reader.post(`/sequences/${newId()}/test`, { to: '+442079460958' })).status).toBe(403);
    expect((await reader.post(`/deliveries/${newId()}/resolve`, { outcome: 'sent' })).status).toBe(403);
  });
});
