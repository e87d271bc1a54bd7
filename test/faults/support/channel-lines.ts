import { setTimeout as sleep } from 'node:timers/promises';
import { type Connecting, connectMeta, connectTwilio, connectVapi, WHATSAPP_NUMBER } from '../../support/channels.ts';
import {
  errorAfter,
  type Fault,
  resetAfter,
  resetBefore,
  slow,
  tooManyRequests,
} from '../../support/fakes/faulty-server.ts';
import { type MetaFault, startFakeMeta } from '../../support/fakes/meta.ts';
import { refusesWith, startFakeTwilio } from '../../support/fakes/twilio.ts';
import { startFakeVapi, vapiRefuses } from '../../support/fakes/vapi.ts';
import type { Caller } from './http.ts';
import type { Random } from './random.ts';

/** The part of an org needed to connect a channel. */
export interface Ready extends Connecting {
  post: Caller['post'];
}

/** A message accepted by the provider, with a function to report it. Resolves to the status of the callback. */
export interface Taken {
  deliveryId: string;
  to: string;
  providerId: string;
  report(status: 'sent' | 'delivered', isForged?: boolean): Promise<number>;
}

/** A provider with random faults. */
export interface Line {
  /** Connects the org, and returns the action of a step with a send on this channel. */
  connect(org: Ready): Promise<object>;
  /** Returns all accepted messages, each once, in order. */
  taken(): Taken[];
  close(): Promise<void>;
}

type Draw = 'refused' | 'busy' | 'error after' | 'reset after' | 'reset before' | 'slow' | 'good';

const CHANCES: [number, Draw][] = [
  [0.03, 'refused'],
  [0.03, 'busy'],
  [0.05, 'error after'],
  [0.05, 'reset after'],
  [0.05, 'reset before'],
  [0.15, 'slow'],
];

function draw(random: Random): Draw {
  let left = random();
  for (const [chance, drawn] of CHANCES) {
    if (left < chance) return drawn;
    left -= chance;
  }
  return 'good';
}

const slowMs = (random: Random) => 500 + Math.floor(random() * 1_500);

/** Returns a random fault for each send. `usualMs`: duration of a successful response. */
const faults = (random: Random, refusal: Fault, usualMs: number) => (): Fault => {
  switch (draw(random)) {
    case 'refused':
      return refusal;
    case 'busy':
      return tooManyRequests('1');
    case 'error after':
      return errorAfter(500);
    case 'reset after':
      return resetAfter;
    case 'reset before':
      return resetBefore;
    case 'slow':
      return slow(slowMs(random));
    case 'good':
      return slow(usualMs);
  }
};

const metaFaults = (random: Random, usualMs: number) => (): MetaFault => {
  switch (draw(random)) {
    case 'refused':
      return { status: 400, code: 132012, message: 'Parameter format does not match' };
    case 'busy':
      return { status: 429, code: 130429, message: 'Rate limit hit', retryAfter: '1' };
    case 'error after':
      return 'error-after';
    case 'reset after':
      return 'reset-after';
    case 'reset before':
      return 'reset-before';
    case 'slow':
      return { slowMs: slowMs(random) };
    case 'good':
      return { slowMs: usualMs };
  }
};

export async function smsLine(random: Random, usualMs: number): Promise<Line> {
  const twilio = await startFakeTwilio(faults(random, refusesWith(21211, "Invalid 'To' Phone Number"), usualMs));
  return {
    async connect(org) {
      await connectTwilio(org, twilio);
      return { type: 'send_sms_messages', data: { message: 'Hello' } };
    },
    taken: () =>
      twilio.messages.map((message) => ({
        deliveryId: new URL(message.params.get('StatusCallback') ?? '').searchParams.get('delivery') ?? '',
        to: message.params.get('To') ?? '',
        providerId: message.sid,
        report: (status, isForged = false) => twilio.callback(message, status, {}, { isForged }),
      })),
    close: twilio.close,
  };
}

export async function whatsAppLine(random: Random, usualMs: number): Promise<Line> {
  const template = { id: '1', name: 'hello', language: 'en', components: [{ type: 'BODY', text: 'Hello' }] };
  const meta = await startFakeMeta([template], metaFaults(random, usualMs));
  let url = '';
  return {
    async connect(org) {
      url = await connectMeta(org, meta);
      const { name, language } = template;
      const data = { phone_number_id: WHATSAPP_NUMBER, template: { name, language, parameters: {} } };
      return { type: 'send_whatsapp_messages', data };
    },
    taken: () =>
      meta.messages.map((message) => ({
        deliveryId: message.callbackData ?? '',
        to: message.to,
        providerId: message.id,
        report: (status, forged = false) => meta.callback(url, message, status, { forged }),
      })),
    close: meta.close,
  };
}

export async function voiceLine(random: Random, usualMs: number): Promise<Line> {
  const vapi = await startFakeVapi(faults(random, vapiRefuses(400, 'customer.number is not valid'), usualMs));
  return {
    async connect(org) {
      await connectVapi(org, vapi);
      const { body } = await org.post('/phone', { name: 'Reminders', type: 'outbound' });
      return { type: 'make_phone_calls', data: { aiPhoneAgentId: body.id } };
    },
    taken: () =>
      vapi.calls.map((call) => ({
        deliveryId: call.params.assistant.metadata?.delivery_id ?? '',
        to: call.params.customer.number,
        providerId: call.id,
        report: (status, isForged = false) =>
          status === 'sent'
            ? vapi.callback(call, 'in-progress', {}, { isForged })
            : vapi.report(call, 'customer-ended-call', { isForged }),
      })),
    close: vapi.close,
  };
}

export interface Reporter {
  /** Ends once all started reports are sent. Returns the deliveries reported as delivered, and all errors. */
  stop(): Promise<{ delivered: Set<string>; wrong: string[] }>;
}

const LOOK_MS = 5;
const LATEST_MS = 3_000;
const REPORTS = [[], ['sent', 'delivered'], ['delivered', 'delivered'], ['delivered', 'sent']] as const;

/**
 * Reports the provider's messages at random: not at all or once or twice, before or long after the response, in reverse
 * order, or forged.
 */
export function startReporter(line: Line, random: Random): Reporter {
  const delivered = new Set<string>();
  const wrong: string[] = [];
  const telling: Promise<void>[] = [];
  let isStopped = false;

  const tell = async (taken: Taken) => {
    const statuses = REPORTS[Math.floor(random() * REPORTS.length)] ?? [];
    const isForged = random() < 0.1;
    if (random() < 0.5) await sleep(random() * LATEST_MS);
    const answers = isForged ? [[403, await taken.report('delivered', true)]] : [];
    if (statuses.length > 0) delivered.add(taken.deliveryId);
    for (const status of statuses) answers.push([200, await taken.report(status)]);
    for (const [expected, answer] of answers)
      if (answer !== expected) wrong.push(`a callback about ${taken.deliveryId} got ${answer}, not ${expected}`);
  };
  const watch = async () => {
    let seen = 0;
    while (!isStopped) {
      const fresh = line.taken().slice(seen);
      seen += fresh.length;
      telling.push(...fresh.map(tell));
      await sleep(LOOK_MS);
    }
  };
  const watching = watch();

  return {
    async stop() {
      isStopped = true;
      await watching;
      await Promise.all(telling);
      return { delivered, wrong };
    },
  };
}
