import { listen } from '../../src/db/listen.ts';
import { WEBHOOKS_CHANNEL } from '../../src/webhooks/waking.service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import { withoutTimesAndIds } from '../support/stack/org-rows.ts';
import { eventually, type Stack } from '../support/stack/stack.ts';
import { createEndpoint } from '../webhooks/endpoints.ts';
import { type Traces, tracesOf } from './scenario.ts';

/** Postgres stores its keys in another order. */
const ODD_DATA = { zebra: 'ü 😀', b: '"\\"', aa: '', 10: 'ten', 9: 'nine' };
const REFUSED_ONCE = 'refused-once';
const NAMES = ['bob', REFUSED_ONCE, 'eve'];
/** The contacts, a session and a message. */
const EVENTS = NAMES.length + 2;

/** Sends events while a sender of the org's endpoint waits for more. One of them is refused at first. */
export async function sendEvents(stack: Stack): Promise<Traces> {
  const org = await stack.createOrg();
  const receiver = await startWebhookReceiver();
  refuseOnce(receiver);
  const endpoint = await createEndpoint(org, receiver);
  const save = async (name: string) =>
    (await org.post('/contacts', { contact: { email: `${name}@example.com`, name, custom_data: ODD_DATA } })).body;
  const answers = [await save('ann')];
  await eventually('a first webhook', () => receiver.received.length === 1);
  const hints = countHints(stack, endpoint.id);
  for (const name of NAMES) {
    const { length } = receiver.received;
    answers.push(await save(name));
    await eventually('its first try', () => receiver.received.length > length);
  }
  const { length } = receiver.received;
  const { id } = (await org.post('/chat/sessions', { contact_id: answers[1].id })).body;
  await eventually('the webhook of its start', () => receiver.received.length > length); // it has the state of its time
  const message = { sender: 'contact', message: { type: 'text', text: 'Where is it?' } };
  answers.push((await org.post(`/chat/sessions/${id}/send`, message)).body);
  const path = { areMostRead: (await hints.stop()) > EVENTS / 2 };
  const traces = await tracesOf(stack, org, answers, path);
  await receiver.close();
  return { ...traces, answers: [...traces.answers, ...bodiesOf(receiver)] };
}

/** Refuses the first try of one webhook. */
function refuseOnce(receiver: WebhookReceiver): void {
  let isRefused = false;
  receiver.answer = ({ raw }, response) => {
    const refuses = !isRefused && raw.includes(REFUSED_ONCE);
    isRefused ||= refuses;
    response.writeHead(refuses ? 500 : 200).end(refuses ? 'not now' : 'ok');
  };
}

/** Counts the notifications that name an endpoint: a delivery that is handed over needs none. */
function countHints(stack: Stack, endpointId: string) {
  let hints = 0;
  const listener = listen(stack.databaseUrl, WEBHOOKS_CHANNEL, (hint) => {
    if (hint.includes(endpointId)) hints += 1;
  });
  return {
    async stop(): Promise<number> {
      await listener.close();
      return hints;
    },
  };
}

/** Returns the bodies that came in, without times and ids. The tries of one webhook have the same body. */
function bodiesOf({ received }: WebhookReceiver): string[] {
  const bodies = Map.groupBy(received, ({ id }) => id);
  const raw = [...bodies.values()].map((tries) => [...new Set(tries.map((one) => one.raw))]);
  return raw.map((distinct) => withoutTimesAndIds(distinct)).toSorted();
}
