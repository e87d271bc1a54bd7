import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { messageOf } from '../../errors.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import { reasonFrom, retryAfterOf } from '../../providers/egress/provider-responses.ts';
import { storable } from '../../providers/storable.rules.ts';
import type { Secrets } from '../../secrets.ts';
import type { DeliveryRow } from '../deliveries/shared.queries.ts';
import { keyOf, openHeaders, openSecret, stillSigning } from '../endpoints/secrets.ts';
import type { WholeEndpoint } from '../endpoints/shared.queries.ts';
import type { AttemptOutcome } from './recording.queries.ts';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 1_024;
const GONE = 410;
const MASK = '***';
/** Shorter texts occur in any answer. */
const MIN_SHOWN_PART = 4;

/** Where requests of an endpoint go, with what they carry. Never log or store one. */
export interface Receiver {
  url: string;
  headers: Record<string, string>;
  keys: KeyObject[];
  /** Texts that no record of an answer may contain. */
  secrets: string[];
}

/** Opens an endpoint's secrets. */
export function receiverOf(secrets: Secrets, endpoint: WholeEndpoint): Receiver {
  const headers = openHeaders(secrets, endpoint, endpoint.headers);
  const sealed = [endpoint.secret, ...stillSigning(endpoint).map(({ secret }) => secret)];
  const signing = sealed.map((one) => openSecret(secrets, endpoint, one));
  const keys = signing.map(keyOf);
  const secretTexts = [...signing, ...keys.map((key) => key.toString('base64')), ...secretPartsOf(headers)];
  return { url: endpoint.url, headers, keys: keys.map((key) => createSecretKey(key)), secrets: secretTexts };
}

/** Returns the values of headers, and their parts: a receiver may repeat the token of an Authorization alone. */
const secretPartsOf = (headers: Record<string, string>): string[] =>
  Object.values(headers).flatMap((value) =>
    [value, ...value.split(/[\s,;]+/)].filter((part) => part.length >= MIN_SHOWN_PART),
  );

/** What a try needs to know of a delivery. */
export type SentDelivery = Pick<
  DeliveryRow,
  'id' | 'org_id' | 'event_type' | 'occurred_at' | 'sequence' | 'data' | 'round_attempts'
>;

/** What a try has shown. */
export interface Attempt extends AttemptOutcome {
  /** The tries made since the delivery was made pending, with this one. */
  round: number;
  retryAfterMs: number | undefined;
}

/** Returns the body of a webhook: the same at each try. */
const bodyOf = ({ event_type, occurred_at, org_id, sequence, data }: SentDelivery): string =>
  JSON.stringify({
    type: event_type,
    timestamp: occurred_at.toISOString(),
    organization_id: org_id,
    ...(sequence === null ? {} : { sequence }),
    data,
  });

/** Returns the headers of the Standard Webhooks scheme, with a signature by each key. */
function signedHeaders(keys: KeyObject[], { id, body, at }: { id: string; body: string; at: Date }) {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** Makes one try of a delivery. Never throws: what went wrong is part of the result. */
export async function post(http: HttpClient, receiver: Receiver, delivery: SentDelivery): Promise<Attempt> {
  const at = new Date();
  const began = performance.now();
  const body = bodyOf(delivery);
  const shared = { deliveryId: delivery.id, at, round: delivery.round_attempts + 1 };
  const durationMs = () => Math.round(performance.now() - began);
  try {
    const answer = await http.request(receiver.url, {
      method: 'POST',
      headers: {
        ...receiver.headers,
        'content-type': 'application/json',
        ...signedHeaders(receiver.keys, { id: delivery.id, body, at }),
      },
      body,
      timeoutMs: TIMEOUT_MS,
      redirects: 'manual',
      truncateAtBytes: MAX_ANSWER_BYTES,
    });
    const { status } = answer;
    return {
      ...shared,
      status,
      durationMs: durationMs(),
      answer: wordsOf(answer.body, receiver),
      error: null,
      isAccepted: status >= 200 && status < 300,
      isGone: status === GONE,
      retryAfterMs: retryAfterOf(answer.headers['retry-after']),
    };
  } catch (error) {
    const reason = reasonFrom(messageOf(error), receiver.secrets);
    const failed = { status: null, answer: null, isAccepted: false, isGone: false, retryAfterMs: undefined };
    return { ...shared, ...failed, durationMs: durationMs(), error: reason };
  }
}

/** Returns what a receiver said, without what only it and we know. The text may end within a secret. */
function wordsOf(text: string, { secrets }: Receiver): string {
  const bare = secrets.reduce((rest, secret) => withoutBeginningAtEnd(rest.replaceAll(secret, MASK), secret), text);
  return storable(bare);
}

function withoutBeginningAtEnd(text: string, secret: string): string {
  for (let length = Math.min(secret.length, text.length); length >= MIN_SHOWN_PART; length--)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + MASK;
  return text;
}
