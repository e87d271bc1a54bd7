import { findPhoneAgent } from '../src/agents/phone-agents.service.ts';
import type { Db } from '../src/db/connect.ts';
import type { Channel } from '../src/deliveries/contract.ts';
import type { Envelope, Outlet } from '../src/deliveries/outlet.ts';
import { senderIn } from '../src/deliveries/senders.rules.ts';
import type { Requests } from '../src/providers/egress.ts';
import { createMetaSender } from '../src/providers/meta.ts';
import type { MetaSettings } from '../src/providers/meta-api.ts';
import type { Sender, SendOutcome } from '../src/providers/sending.ts';
import { createTwilioSender, type TwilioSettings } from '../src/providers/twilio.ts';
import { createVapiSender, type VapiSettings } from '../src/providers/vapi.ts';
import type { PhoneAgentProfile } from '../src/providers/voice.ts';

type EnvelopeOn<Name extends Channel> = Extract<Envelope, { channel: Name }>;

/** SMS through Twilio. */
export const smsOutlet = (egress: Requests, settings: TwilioSettings, callbackUrl: string): Outlet => {
  const sender = createTwilioSender(egress, settings, callbackUrl);
  return outletOf<'sms'>(sender, senderIn('sms', settings), ({ deliveryId, to, content }) =>
    sender.send({ deliveryId, to, body: content.body }),
  );
};

/** WhatsApp templates through Meta's Cloud API. */
export const whatsAppOutlet = (egress: Requests, settings: MetaSettings): Outlet => {
  const sender = createMetaSender(egress, settings);
  return outletOf<'whatsapp'>(sender, null, ({ deliveryId, to, content }) =>
    sender.send({ deliveryId, to, ...content }),
  );
};

/** Finds a phone agent of an org. */
export type FindAgent = (orgId: string, agentId: string) => Promise<PhoneAgentProfile | undefined>;

/** Finds phone agents in the database. */
export const agentsOf =
  (db: Db): FindAgent =>
  (orgId, agentId) =>
    findPhoneAgent(db, orgId, agentId);

/** Calls of AI phone agents through Vapi. A call whose agent was deleted is not made. */
export const voiceOutlet = (
  egress: Requests,
  settings: VapiSettings,
  callbackUrl: string,
  findAgent: FindAgent,
): Outlet => {
  const sender = createVapiSender(egress, settings, callbackUrl);
  return outletOf<'voice'>(sender, senderIn('voice', settings), async ({ orgId, deliveryId, to, content }) => {
    const agent = await findAgent(orgId, content.agentId);
    if (agent === undefined)
      return { kind: 'rejected', because: 'permanent', reason: `there is no phone agent ${content.agentId}` };
    return sender.send({ deliveryId, to, contactName: null, agent });
  });
};

function outletOf<Name extends Channel>(
  sender: Pick<Sender<never>, 'provider' | 'concurrency' | 'find'>,
  from: string | null,
  send: (envelope: EnvelopeOn<Name>) => Promise<SendOutcome>,
): Outlet {
  return {
    provider: sender.provider,
    sender: from,
    concurrency: sender.concurrency,
    pool: sender,
    send: (envelope) => send(envelope as EnvelopeOn<Name>),
    find: sender.find,
  };
}
