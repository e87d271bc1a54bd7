import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/connect.ts';
import type { CallbackUrls } from '../../orgs/integrations/callback-urls.ts';
import type { Egress, HttpClient } from '../../providers/egress/egress.ts';
import { directSettingsOf } from '../../providers/meta/direct-messages/settings.rules.ts';
import type { FindPhoneAgent } from '../callbacks/phone-tools.port.ts';
import type { Channel } from '../contract.ts';
import type { SendWithFiles } from '../sending/file-loader.ts';
import { SANDBOX_FROM_ADDRESSES } from '../sending/from-addresses.rules.ts';
import type { MessageSender } from '../sending/message-sender.ts';
import {
  callerFinder,
  createDirectMessageSender,
  createSlackMessageSender,
  createSmsSender,
  createVoiceSender,
  createWhatsAppSender,
} from '../sending/senders/channel-senders.ts';
import {
  INSTAGRAM_PROTOCOL,
  MESSENGER_PROTOCOL,
  META_PROTOCOL,
  type SandboxProtocol,
  type SandboxSend,
  SLACK_PROTOCOL,
  TWILIO_PROTOCOL,
  VAPI_PROTOCOL,
} from './protocols.ts';
import { insertSandboxSend } from './queries.ts';

/** Replaces providers without a connection, in development. */
export interface Sandbox {
  of(orgId: string, channel: Exclude<Channel, 'email'>): MessageSender;
  close(): void;
}

export interface SandboxDeps {
  db: Db;
  callbacks: CallbackUrls;
  /** Reaches our own API. */
  egress: Egress;
  withFiles: SendWithFiles;
  findAgent: FindPhoneAgent;
}

const PROTOCOLS = {
  sms: TWILIO_PROTOCOL,
  whatsapp: META_PROTOCOL,
  voice: VAPI_PROTOCOL,
  messenger: MESSENGER_PROTOCOL,
  instagram: INSTAGRAM_PROTOCOL,
  slack: SLACK_PROTOCOL,
};
const CALLBACK_DELAY_MS = 300;
const MAX_CALLBACK_TRIES = 5;
/** Failing numbers, modelled on those of Twilio's test credentials. */
const MAGIC_NUMBERS: Record<string, 'invalid' | 'suppressed'> = {
  '+15005550001': 'invalid',
  '+15005550004': 'suppressed',
};
const LATE_FAILURE_NUMBER = '+15005550009';
/** Of a sender that only says what all senders of its channel have in common. */
const NO_DELIVERY = '';

/**
 * Creates a provider for each channel. It builds the exact request of the real one, stores it in the sandbox's outbox,
 * and reports back, signed, through the real callback route. Nothing leaves the machine.
 */
export function createSandbox({ db, callbacks, egress, withFiles, findAgent }: SandboxDeps): Sandbox {
  const closing = new AbortController();

  const report = async (orgId: string, wire: SandboxProtocol, send: SandboxSend) => {
    for (const status of wire.statusSequences[send.to === LATE_FAILURE_NUMBER ? 'failure' : 'success']) {
      for (let tries = 1; tries <= MAX_CALLBACK_TRIES; tries++) {
        await sleep(CALLBACK_DELAY_MS * tries, undefined, { signal: closing.signal });
        const { url, headers, body } = wire.callback(send, status, orgId, callbacks);
        const answer = await egress.request(url, { method: 'POST', headers, body }).catch(() => undefined);
        if (answer?.status === 200) break;
      }
    }
  };

  /** Returns the provider's side of one delivery. */
  const wired = (orgId: string, channel: keyof typeof PROTOCOLS, deliveryId: string): HttpClient => ({
    async request(url, { body } = {}) {
      const wire = PROTOCOLS[channel];
      const other = wire.answerBesides?.(url);
      if (other !== undefined) return { status: 200, headers: {}, body: JSON.stringify(other), url };
      const send = { deliveryId, ...wire.read(String(body ?? '')) };
      await insertSandboxSend(db, orgId, { id: deliveryId, channel, to: send.to, payload: send.payload });
      const magic = MAGIC_NUMBERS[send.to];
      if (magic === undefined) report(orgId, wire, send).catch(() => undefined); // the sandbox is closing
      const { status, body: content } = magic === undefined ? wire.accepted(send) : wire.refusals[magic];
      return { status, headers: {}, body: JSON.stringify(content), url };
    },
  });

  const open = {
    sms: (orgId: string, client: HttpClient) => {
      const settings = { account_sid: 'ACsandbox', auth_token: 'sandbox', from: SANDBOX_FROM_ADDRESSES.sms };
      return createSmsSender(client, settings, callbacks.urlOf('twilio', orgId));
    },
    whatsapp: (_orgId: string, client: HttpClient) =>
      createWhatsAppSender(client, { access_token: 'sandbox' }, withFiles),
    messenger: (_orgId: string, client: HttpClient) =>
      createDirectMessageSender(client, directSettingsOf({ page_id: '1', page_access_token: 'sandbox' })),
    instagram: (_orgId: string, client: HttpClient) =>
      createDirectMessageSender(client, directSettingsOf({ account_id: '1', access_token: 'sandbox' })),
    slack: (_orgId: string, client: HttpClient) =>
      createSlackMessageSender(client, { bot_token: 'sandbox' }, withFiles),
    voice: (orgId: string, client: HttpClient) => {
      const settings = { api_key: 'sandbox', phone_number_id: SANDBOX_FROM_ADDRESSES.voice };
      const url = callbacks.urlOf('vapi', orgId);
      return createVoiceSender(client, settings, url, callerFinder(db, findAgent));
    },
  };

  return {
    of: (orgId, channel) => {
      const senderOf = (deliveryId: string) => open[channel](orgId, wired(orgId, channel, deliveryId));
      return {
        ...senderOf(NO_DELIVERY),
        provider: 'sandbox',
        send: (message) => senderOf(message.deliveryId).send(message),
        findLostSend: undefined,
      };
    },
    close: () => closing.abort(),
  };
}
