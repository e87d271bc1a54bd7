import { elementAt } from '../../../collections/checked-access.ts';
import type { Db } from '../../../db/connect.ts';
import { INBOUND_ONLY } from '../../../phone-agents/service.ts';
import type { HttpClient } from '../../../providers/egress/egress.ts';
import type { MetaSettings } from '../../../providers/meta/api.ts';
import { createDirectSender } from '../../../providers/meta/direct-messages/sender.ts';
import type { DirectSettings } from '../../../providers/meta/direct-messages/settings.rules.ts';
import { createMetaSender } from '../../../providers/meta/sender.ts';
import type { Sender, SendOutcome } from '../../../providers/sending.ts';
import type { SlackSettings } from '../../../providers/slack/api.ts';
import { createSlackSender } from '../../../providers/slack/sender.ts';
import { createTwilioSender, type TwilioSettings } from '../../../providers/twilio/sender.ts';
import { createVapiSender, type VapiSettings } from '../../../providers/vapi/sender.ts';
import type { CallProfile, FindPhoneAgent } from '../../callbacks/phone-tools.port.ts';
import type { Channel } from '../../contract.ts';
import type { SendWithFiles } from '../file-loader.ts';
import { fromAddressIn } from '../from-addresses.rules.ts';
import type { MessageSender, OutgoingMessage } from '../message-sender.ts';

type OutgoingMessageOn<Name extends Channel> = Extract<OutgoingMessage, { channel: Name }>;

/** Sends SMS through Twilio. */
export const createSmsSender = (egress: HttpClient, settings: TwilioSettings, callbackUrl: string): MessageSender => {
  const sender = createTwilioSender(egress, settings, callbackUrl);
  return toMessageSender<'sms'>(sender, fromAddressIn('sms', settings), ({ deliveryId, to, content }) =>
    sender.send({ deliveryId, to, ...content }),
  );
};

/** Sends WhatsApp messages through Meta's Cloud API. */
export const createWhatsAppSender = (
  egress: HttpClient,
  settings: MetaSettings,
  withFiles: SendWithFiles,
): MessageSender => {
  const sender = createMetaSender(egress, settings);
  return toMessageSender<'whatsapp'>(sender, null, ({ orgId, deliveryId, to, content }) => {
    const { phoneNumberId } = content;
    if (!('file' in content)) return sender.send({ deliveryId, to, ...content });
    const { kind, caption, otherText } = content.file;
    return withFiles(orgId, [content.file], (files) =>
      sender.send({ deliveryId, to, phoneNumberId, media: { ...elementAt(files, 0), kind, caption, otherText } }),
    );
  });
};

/** Sends messages on Messenger or Instagram through Meta's Graph API. */
export const createDirectMessageSender = (egress: HttpClient, settings: DirectSettings): MessageSender => {
  const sender = createDirectSender(egress, settings);
  return toMessageSender<'messenger' | 'instagram'>(sender, null, ({ deliveryId, to, content }) =>
    sender.send({ deliveryId, to, ...content }),
  );
};

/** Sends messages in threads of Slack. */
export const createSlackMessageSender = (
  egress: HttpClient,
  settings: SlackSettings,
  withFiles: SendWithFiles,
): MessageSender => {
  const sender = createSlackSender(egress, settings);
  return toMessageSender<'slack'>(sender, null, ({ orgId, deliveryId, to, content: { text, files = [] } }) =>
    withFiles(orgId, files, (loaded) => sender.send({ deliveryId, to, text, files: loaded })),
  );
};

/** Finds the phone agent of a call that is to be made. */
export type FindCaller = (orgId: string, agentId: string) => Promise<CallProfile | undefined>;

/** Finds phone agents in the database. */
export const callerFinder =
  (db: Db, findAgent: FindPhoneAgent): FindCaller =>
  (orgId, agentId) =>
    findAgent(db, orgId, { agentId, contactId: null });

/** Makes calls of AI phone agents through Vapi. A call of a deleted agent is not made, and none of an inbound one. */
export const createVoiceSender = (
  egress: HttpClient,
  settings: VapiSettings,
  callbackUrl: string,
  findAgent: FindCaller,
): MessageSender => {
  const sender = createVapiSender(egress, settings, callbackUrl);
  return toMessageSender<'voice'>(
    sender,
    fromAddressIn('voice', settings),
    async ({ orgId, deliveryId, to, content }) => {
      const agent = await findAgent(orgId, content.agentId);
      if (agent === undefined)
        return { kind: 'rejected', because: 'permanent', reason: `there is no phone agent ${content.agentId}` };
      if (agent.type !== 'outbound')
        return { kind: 'rejected', because: 'permanent', reason: `${content.agentId} ${INBOUND_ONLY}` };
      return sender.send({ deliveryId, to, contactName: null, agent });
    },
  );
};

function toMessageSender<Name extends Channel>(
  sender: Pick<Sender<never>, 'provider' | 'concurrency' | 'findLostSend'>,
  from: string | null,
  send: (message: OutgoingMessageOn<Name>) => Promise<SendOutcome>,
): MessageSender {
  return {
    provider: sender.provider,
    fromAddress: from,
    concurrency: sender.concurrency,
    pool: sender,
    send: (message) => send(message as OutgoingMessageOn<Name>),
    findLostSend: sender.findLostSend,
  };
}
