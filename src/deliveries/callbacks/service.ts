import type { IncomingHttpHeaders } from 'node:http';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { CallbackUrls } from '../../orgs/integrations/callback-urls.ts';
import type { CallbackProvider } from '../../orgs/integrations/schema.ts';
import { findConnection } from '../../orgs/integrations/service.ts';
import { isSameSecret } from '../../providers/constant-time.ts';
import { isMetaSignature, readMetaCallback } from '../../providers/meta/callbacks.ts';
import type { CallbackContent } from '../../providers/sending.ts';
import { isTwilioCallback, isTwilioSignature, readTwilioCallback } from '../../providers/twilio/callbacks.ts';
import { isVapiSignature, readVapiCallback } from '../../providers/vapi/callbacks.ts';
import type { Secrets } from '../../secrets.ts';
import type { Channel } from '../contract.ts';
import { receiveChange } from '../inbound/message-changes.service.ts';
import { receiveMessage } from '../inbound/messages.service.ts';
import { receiveCallReports } from './call-reports.service.ts';
import { receiveStatusUpdates } from './status-reports.service.ts';

/** A callback as received, with the exact bytes of the signed body. */
export interface RawCallback {
  provider: CallbackProvider;
  /** The URL of the callback as the provider knows it. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface CallbackDeps {
  secrets: Secrets;
  urls: CallbackUrls;
  /** Whether the sandbox replaces providers without a connection. */
  isDevelopment: boolean;
}

const CHANNEL_OF: Record<CallbackProvider, Exclude<Channel, 'email'>> = {
  twilio: 'sms',
  meta: 'whatsapp',
  vapi: 'voice',
};

/** Reads a callback with a valid signature. Returns undefined for any other. */
export async function readCallback(
  db: Db,
  { secrets, urls, isDevelopment }: CallbackDeps,
  orgId: string,
  { provider, url, headers, body }: RawCallback,
): Promise<CallbackContent | undefined> {
  const own = urls.secretsOf(provider, orgId);
  const sandbox = isDevelopment ? own : [];
  switch (provider) {
    case 'twilio': {
      const connection = await findConnection(db, secrets, orgId, 'sms');
      const tokens = connection === undefined ? sandbox : [connection.auth_token];
      const form = new URLSearchParams(body.toString('utf8'));
      const signature = textOf(headers['x-twilio-signature']);
      if (!tokens.some((token) => isTwilioSignature(token, url, form, signature)) || !isTwilioCallback(form))
        return undefined;
      return readTwilioCallback(new URL(url).searchParams, form);
    }
    case 'meta': {
      const connection = await findConnection(db, secrets, orgId, 'whatsapp');
      const appSecrets = connection === undefined ? sandbox : listOf(connection.app_secret);
      const signature = textOf(headers['x-hub-signature-256']);
      if (!appSecrets.some((secret) => isMetaSignature(secret, body, signature))) return undefined;
      return readMetaCallback(jsonOf(body));
    }
    case 'vapi': {
      const connection = await findConnection(db, secrets, orgId, 'voice');
      const ofConnection = connection?.webhook_secret === undefined ? own : [connection.webhook_secret];
      const accepted = connection === undefined ? sandbox : ofConnection;
      return accepted.some((secret) => isVapiSignature(secret, body, headers))
        ? readVapiCallback(jsonOf(body))
        : undefined;
    }
  }
}

/** Returns what callbacks of Vapi about an org's calls carry. */
export async function secretOfVapi(db: Db, { secrets, urls }: CallbackDeps, orgId: string): Promise<string> {
  const connection = await findConnection(db, secrets, orgId, 'voice');
  return connection?.webhook_secret ?? urls.secretsOf('vapi', orgId)[0];
}

/**
 * Receives a verified callback completely or not at all. A repeated callback changes nothing, but announces its call
 * reports again.
 */
export function receiveCallback(
  db: Db,
  orgId: string,
  provider: CallbackProvider,
  { reports, messages, calls = [] }: CallbackContent,
): Promise<void> {
  return inTransaction(db, async (trx) => {
    await receiveStatusUpdates(
      trx,
      orgId,
      reports.map(({ isSuppressing, ...report }) => ({
        ...report,
        provider,
        suppression: isSuppressing ? SUPPRESSION_REASONS[provider] : null,
      })),
    );
    await receiveCallReports(trx, orgId, provider, calls);
    for (const { text, change, ...message } of messages) {
      const received = { ...message, body: text, channel: CHANNEL_OF[provider], provider, deliveryId: undefined };
      await (change === undefined
        ? receiveMessage(trx, orgId, received)
        : receiveChange(trx, orgId, { ...received, change }));
    }
  });
}

/** Twilio refuses numbers after an opt-out. The other providers refuse unreachable numbers. */
const SUPPRESSION_REASONS = { twilio: 'unsubscribed', meta: 'bounced', vapi: 'bounced' } as const;

/** Whether Meta's subscription handshake carries the org's verify_token. */
export async function isValidHandshake(db: Db, secrets: Secrets, orgId: string, token: string): Promise<boolean> {
  const connection = await findConnection(db, secrets, orgId, 'whatsapp');
  return connection?.verify_token !== undefined && isSameSecret(token, connection.verify_token);
}

const listOf = (secret: string | undefined) => (secret === undefined ? [] : [secret]);

const textOf = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
