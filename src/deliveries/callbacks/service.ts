import type { IncomingHttpHeaders } from 'node:http';
import { memberOf } from '../../collections/records.ts';
import { holdMerges } from '../../contacts/merging/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { CallbackUrls } from '../../orgs/integrations/callback-urls.ts';
import { recordConnectionError } from '../../orgs/integrations/connection-status.service.ts';
import type { CallbackProvider } from '../../orgs/integrations/schema.ts';
import { findConnection } from '../../orgs/integrations/service.ts';
import { isSameSecret } from '../../providers/constant-time.ts';
import { isMetaSignature, readMetaCallback } from '../../providers/meta/callbacks.ts';
import { readDirectCallback } from '../../providers/meta/direct-messages/callbacks.ts';
import type { CallbackContent } from '../../providers/sending.ts';
import { isSlackSignature, readSlackCallback } from '../../providers/slack/callbacks.ts';
import { isTwilioCallback, isTwilioSignature, readTwilioCallback } from '../../providers/twilio/callbacks.ts';
import { isVapiSignature, readVapiCallback } from '../../providers/vapi/callbacks.ts';
import type { Secrets } from '../../secrets.ts';
import type { Channel } from '../contract.ts';
import { receiveChange } from '../inbound/message-changes.service.ts';
import { receiveMessage } from '../inbound/messages.service.ts';
import { consentOf } from '../inbound/opt-out.rules.ts';
import { receiveCallReports } from './call-reports.service.ts';
import { receiveProviderReports } from './status-reports.service.ts';

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

/** What a callback says, and the channel that it is about. */
export interface ReadCallback extends CallbackContent {
  channel: Exclude<Channel, 'email'>;
  /** What the provider wants back, to see that the address is ours. */
  challenge?: string;
  /** What is wrong with the connection. */
  notice?: string | undefined;
}

/** The channels that Meta reports to one address, by its names. */
const META_CHANNELS = new Map<unknown, 'whatsapp' | 'messenger' | 'instagram'>([
  ['whatsapp_business_account', 'whatsapp'],
  ['page', 'messenger'],
  ['instagram', 'instagram'],
]);

/** Reads a callback with a valid signature. Returns undefined for any other. */
export async function readCallback(
  db: Db,
  deps: CallbackDeps,
  orgId: string,
  callback: RawCallback,
): Promise<ReadCallback | undefined> {
  const { secrets, urls, isDevelopment } = deps;
  const { provider, url, headers, body } = callback;
  const sandbox = isDevelopment ? urls.secretsOf(provider, orgId) : [];
  switch (provider) {
    case 'twilio': {
      const connection = await findConnection(db, secrets, orgId, 'sms');
      const tokens = connection === undefined ? sandbox : [connection.auth_token];
      const form = new URLSearchParams(body.toString('utf8'));
      const signature = textOf(headers['x-twilio-signature']);
      if (!tokens.some((token) => isTwilioSignature(token, url, form, signature)) || !isTwilioCallback(form))
        return undefined;
      return { channel: 'sms', ...readTwilioCallback(new URL(url).searchParams, form) };
    }
    case 'meta':
      return readOfMeta(db, { secrets, sandbox }, orgId, callback);
    case 'slack': {
      const connection = await findConnection(db, secrets, orgId, 'slack');
      const accepted = connection === undefined ? sandbox : [connection.signing_secret];
      return accepted.some((secret) => isSlackSignature(secret, body, headers))
        ? { channel: 'slack', ...readSlackCallback(jsonOf(body)) }
        : undefined;
    }
    case 'vapi': {
      const connection = await findConnection(db, secrets, orgId, 'voice');
      const accepted = connection === undefined ? sandbox : urls.voiceSecretsOf(orgId, connection);
      return accepted.some((secret) => isVapiSignature(secret, body, headers))
        ? { channel: 'voice', ...readVapiCallback(jsonOf(body)) }
        : undefined;
    }
  }
}

/** Returns what callbacks of Vapi about an org's calls carry. */
export async function secretOfVapi(db: Db, { secrets, urls }: CallbackDeps, orgId: string): Promise<string> {
  const connection = await findConnection(db, secrets, orgId, 'voice');
  return urls.voiceSecretsOf(orgId, connection ?? {})[0];
}

/**
 * Reads a callback of Meta by the secret of the connection that it is about: the secret of one app signs nothing for
 * another. The body is parsed before, by whoever knows the secret address.
 */
async function readOfMeta(
  db: Db,
  { secrets, sandbox }: { secrets: Secrets; sandbox: readonly string[] },
  orgId: string,
  { headers, body }: RawCallback,
): Promise<ReadCallback | undefined> {
  const content = jsonOf(body);
  const channel = META_CHANNELS.get(memberOf(content, 'object')) ?? 'whatsapp';
  const connection = await findConnection(db, secrets, orgId, channel);
  const appSecrets = connection === undefined ? sandbox : listOf(connection.app_secret);
  const signature = textOf(headers['x-hub-signature-256']);
  if (!appSecrets.some((secret) => isMetaSignature(secret, body, signature))) return undefined;
  if (channel === 'whatsapp') return { channel, ...readMetaCallback(content) };
  const account = accountOf(connection);
  const { stranger, ...read } = readDirectCallback(content, account);
  return { channel, ...read, ...(stranger !== undefined && { notice: strangerNotice(stranger, account) }) };
}

/** Returns the page or account of a connection. */
function accountOf(connection: object | undefined): string | undefined {
  const account = memberOf(connection, 'page_id') ?? memberOf(connection, 'account_id');
  return typeof account === 'string' ? account : undefined;
}

const strangerNotice = (stranger: string, account: string | undefined): string =>
  `Meta sent what is about ${stranger}, and it was left out: the connection is to ${account}. Connect that one, or end its subscription`;

/**
 * Receives a verified callback completely or not at all. A repeated callback changes nothing, but announces its call
 * reports again. One with an opt-out holds merges before it locks a row: a merge under way has locked some of them.
 */
export function receiveCallback(
  db: Db,
  orgId: string,
  provider: CallbackProvider,
  callback: ReadCallback,
): Promise<void> {
  const { channel, reports, messages, calls = [], notice } = callback;
  return inTransaction(db, async (trx) => {
    if (hasOptOut(provider, callback)) await holdMerges(trx, orgId);
    if (notice !== undefined && channel !== 'voice') await recordConnectionError(trx, orgId, channel, notice);
    await receiveProviderReports(
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
      const received = { ...message, body: text, channel, provider, deliveryId: undefined };
      await (change === undefined
        ? receiveMessage(trx, orgId, received)
        : receiveChange(trx, orgId, { ...received, change }));
    }
  });
}

/** Twilio refuses numbers after an opt-out. The other providers refuse unreachable numbers. */
const SUPPRESSION_REASONS = { twilio: 'unsubscribed', meta: 'bounced', vapi: 'bounced', slack: 'bounced' } as const;

/** Whether a callback says that a contact wants no more messages. */
const hasOptOut = (provider: CallbackProvider, { channel, reports, messages }: ReadCallback): boolean =>
  (SUPPRESSION_REASONS[provider] === 'unsubscribed' && reports.some(({ isSuppressing }) => isSuppressing)) ||
  (channel === 'sms' && messages.some(({ text, consent }) => consentOf(text, consent) === 'stop'));

/** Whether Meta's subscription handshake carries the verify_token of one of the org's connections. */
export async function isValidHandshake(db: Db, secrets: Secrets, orgId: string, token: string): Promise<boolean> {
  for (const channel of META_CHANNELS.values()) {
    const connection = await findConnection(db, secrets, orgId, channel);
    if (connection?.verify_token !== undefined && isSameSecret(token, connection.verify_token)) return true;
  }
  return false;
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
