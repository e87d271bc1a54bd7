import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../../db/connect.ts';
import type { CallbackUrls } from '../../../orgs/integrations/callback-urls.ts';
import type { ConnectionCalls } from '../../../orgs/integrations/calls.service.ts';
import { findConnection } from '../../../orgs/integrations/service.ts';
import type { Egress } from '../../../providers/egress/egress.ts';
import { directSettingsOf } from '../../../providers/meta/direct-messages/settings.rules.ts';
import type { Secrets } from '../../../secrets.ts';
import type { FindPhoneAgent } from '../../callbacks/phone-tools.port.ts';
import type { Channel } from '../../contract.ts';
import type { Sandbox } from '../../sandbox/sandbox-senders.ts';
import type { SendWithFiles } from '../file-loader.ts';
import type { MessageSender, MessageSenders, OutgoingMessage } from '../message-sender.ts';
import {
  callerFinder,
  createDirectMessageSender,
  createSlackMessageSender,
  createSmsSender,
  createVoiceSender,
  createWhatsAppSender,
} from './channel-senders.ts';
import type { EmailSenders } from './email-senders.ts';

const MAX_OPEN_SENDERS = 500;
const SENDER_TTL_MS = 5 * 60_000;

export interface MessageSendersDeps {
  db: Db;
  secrets: Secrets;
  egress: Egress;
  callbacks: CallbackUrls;
  calls: Pick<ConnectionCalls, 'observeSend'>;
  email: EmailSenders;
  withFiles: SendWithFiles;
  findAgent: FindPhoneAgent;
  /** Replaces providers without a connection, in development. */
  sandbox: Sandbox | undefined;
}

interface Connection {
  settings: object;
  open(): MessageSender;
}

/** Creates the senders of orgs. All batches share one sender for each connection's settings. */
export function createMessageSenders({
  db,
  secrets,
  egress,
  callbacks,
  calls,
  email,
  withFiles,
  findAgent,
  sandbox,
}: MessageSendersDeps): MessageSenders {
  const senders = new LRUCache<string, MessageSender>({ max: MAX_OPEN_SENDERS, ttl: SENDER_TTL_MS });

  const findDirect = async (orgId: string, channel: 'messenger' | 'instagram'): Promise<Connection | undefined> => {
    const settings = await findConnection(db, secrets, orgId, channel);
    return settings && { settings, open: () => createDirectMessageSender(egress, directSettingsOf(settings)) };
  };

  const connections: Record<Exclude<Channel, 'email'>, (orgId: string) => Promise<Connection | undefined>> = {
    async sms(orgId) {
      const settings = await findConnection(db, secrets, orgId, 'sms');
      return settings && { settings, open: () => createSmsSender(egress, settings, callbacks.urlOf('twilio', orgId)) };
    },
    async whatsapp(orgId) {
      const settings = await findConnection(db, secrets, orgId, 'whatsapp');
      return settings && { settings, open: () => createWhatsAppSender(egress, settings, withFiles) };
    },
    messenger: (orgId) => findDirect(orgId, 'messenger'),
    instagram: (orgId) => findDirect(orgId, 'instagram'),
    async slack(orgId) {
      const settings = await findConnection(db, secrets, orgId, 'slack');
      return settings && { settings, open: () => createSlackMessageSender(egress, settings, withFiles) };
    },
    async voice(orgId) {
      const settings = await findConnection(db, secrets, orgId, 'voice');
      if (settings === undefined) return undefined;
      const [webhook_secret] = callbacks.voiceSecretsOf(orgId, settings);
      const withSecret = { ...settings, webhook_secret };
      const url = callbacks.urlOf('vapi', orgId);
      return { settings, open: () => createVoiceSender(egress, withSecret, url, callerFinder(db, findAgent)) };
    },
  };

  return {
    async of(orgId, channel) {
      if (channel === 'email') return email.of(orgId);
      const connection = await connections[channel](orgId);
      if (connection === undefined) return sandbox?.of(orgId, channel);
      const key = createHash('sha256')
        .update(JSON.stringify([channel, orgId, connection.settings]))
        .digest('base64');
      const cached = senders.get(key);
      if (cached !== undefined) return cached;
      const opened = connection.open();
      const called = { orgId, kind: channel, settings: connection.settings };
      const sender = {
        ...opened,
        send: (message: OutgoingMessage) => calls.observeSend(called, () => opened.send(message)),
      };
      senders.set(key, sender);
      return sender;
    },
    close: () => email.close(),
  };
}
