import type { FakeDirectMessages } from './fakes/direct-messages.ts';
import type { FakeMeta } from './fakes/meta.ts';
import type { FakeSlack } from './fakes/slack.ts';
import type { FakeTwilio } from './fakes/twilio.ts';
import type { FakeVapi } from './fakes/vapi.ts';
import type { Answer, Client } from './stack/api.ts';
import { eventually } from './stack/stack.ts';

/** Lets what runs in tests reach fakes on loopback, as if they were on the internet. */
export const FAKES_ALLOWED = { EGRESS_ALLOW: '127.0.0.0/8' };
/** Meta's id of the number that templates go out from. */
export const WHATSAPP_NUMBER = '106540352242922';

/** As much of a client as it takes to connect a provider. */
export interface Connecting {
  put(path: string, body: object): Promise<Pick<Answer, 'status' | 'body'>>;
}

/** Connects the org and gives the address where the provider is to report. */
async function connect(org: Connecting, kind: string, provider: string, settings: object): Promise<string> {
  const { status, body } = await org.put(`/integrations/${kind}`, { provider, settings });
  expect([status, body]).toEqual([200, expect.objectContaining({ webhook_url: expect.any(String) })]);
  return body.webhook_url;
}

export const connectTwilio = (org: Connecting, { url, accountSid, authToken }: FakeTwilio) =>
  connect(org, 'sms', 'twilio', {
    base_url: url,
    account_sid: accountSid,
    auth_token: authToken,
    from: '+15005550006',
  });

export const connectMeta = (org: Connecting, { url, accessToken, appSecret }: FakeMeta) =>
  connect(org, 'whatsapp', 'meta', {
    base_url: url,
    access_token: accessToken,
    app_secret: appSecret,
    verify_token: 'handshake',
  });

export const connectMessenger = (org: Connecting, { url, account, accessToken, appSecret }: FakeDirectMessages) =>
  connect(org, 'messenger', 'meta', {
    base_url: url,
    page_id: account,
    page_access_token: accessToken,
    app_secret: appSecret,
    verify_token: 'handshake',
  });

export const connectInstagram = (org: Connecting, { url, account, accessToken, appSecret }: FakeDirectMessages) =>
  connect(org, 'instagram', 'meta', {
    base_url: url,
    account_id: account,
    access_token: accessToken,
    app_secret: appSecret,
    verify_token: 'handshake',
  });

export const connectSlack = (org: Connecting, { url, botToken, signingSecret }: FakeSlack) =>
  connect(org, 'slack', 'slack', { base_url: url, bot_token: botToken, signing_secret: signingSecret });

export const connectVapi = (org: Connecting, { url, apiKey, phoneNumberId }: FakeVapi) =>
  connect(org, 'voice', 'vapi', { base_url: url, api_key: apiKey, phone_number_id: phoneNumberId });

const step = (type: string, data: object, delay_in_minutes: number) => ({ delay_in_minutes, action: { type, data } });

export const callStep = (aiPhoneAgentId: string, delayInMinutes = 0) =>
  step('make_phone_calls', { aiPhoneAgentId }, delayInMinutes);

export const whatsAppStep = (name: string, parameters: object = {}, delayInMinutes = 0) =>
  step(
    'send_whatsapp_messages',
    { phone_number_id: WHATSAPP_NUMBER, template: { name, language: 'en', parameters } },
    delayInMinutes,
  );

let numbers = 0;
/** A phone number that no test has had yet, in E.164. */
export const newNumber = () => `+1415555${String(++numbers).padStart(4, '0')}`;

/** Creates a sequence for nobody but those whom it is given, and gives its id. */
export async function createSequence(org: Client, steps: object[], more: object = {}): Promise<string> {
  const { status, body } = await org.post('/sequences', { filter: null, steps, ...more });
  expect([status, body]).toEqual([201, expect.objectContaining({ id: expect.any(String) })]);
  return body.id;
}

/** Enrolls contacts by their phone numbers. A sequence for all contacts enrolls those who are new by itself too. */
export async function enroll(org: Client, sequenceId: string, ...numbers: string[]): Promise<void> {
  const contacts = numbers.map((phone_number) => ({ phone_number }));
  const { status } = await org.post(`/sequences/${sequenceId}/contacts`, { contacts });
  expect(status).toBe(201);
}

/** Creates a sequence, enrolls one contact of this number and gives the sequence's id. */
export async function send(org: Client, to: string, ...steps: object[]): Promise<string> {
  const sequenceId = await createSequence(org, steps);
  await enroll(org, sequenceId, to);
  return sequenceId;
}

export async function deliveriesOf(org: Client, sequenceId: string) {
  return (await org.get(`/deliveries?sequence_id=${sequenceId}&limit=100`)).body.items;
}

export const readDelivery = async (org: Client, id: string) => (await org.get(`/deliveries/${id}`)).body;

/** Waits until a delivery has this status, or has already left it for `delivered`. Returns all that is told of it. */
export async function untilDelivery(org: Client, id: string, status: string) {
  let seen: unknown;
  const found = eventually(`delivery ${status}`, async () => {
    const delivery = await readDelivery(org, id);
    seen = delivery;
    return (delivery.status === status || (status === 'accepted' && delivery.status === 'delivered')) && delivery;
  });
  return found.catch((cause: unknown) => {
    throw new Error(`${String(cause)}: ${JSON.stringify(seen)}`, { cause });
  });
}

/** Waits until a sequence has a delivery of this status, and gives all that is told of it. */
export const untilSent = (org: Client, sequenceId: string, status: string) =>
  eventually(`a delivery that is ${status}`, async () => {
    const deliveries = await deliveriesOf(org, sequenceId);
    const found = deliveries.find((delivery: { status: string }) => delivery.status === status);
    return found !== undefined && readDelivery(org, found.id);
  });

/** Waits until all enrollments of a sequence have this status, and gives them. */
export const untilEnrollments = (org: Client, sequenceId: string, status: string, count = 1) =>
  eventually(`${count} enrollments ${status}`, async () => {
    const { items } = (await org.get(`/sequences/${sequenceId}/enrollments?limit=100`)).body;
    const reached = items.filter((enrollment: { status: string }) => enrollment.status === status);
    return reached.length === count && items.length === count && items;
  });
