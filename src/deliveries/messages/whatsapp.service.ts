import { getContact, resolveContacts } from '../../contacts/service.ts';
import { addSentMessage } from '../../conversations/messages/automatic-messages.service.ts';
import {
  getSessionOfMessage,
  lockOpenSession,
  lockSession,
  openSession,
} from '../../conversations/sessions/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import type { ConnectionCalls } from '../../orgs/integrations/calls.service.ts';
import { findConnection } from '../../orgs/integrations/service.ts';
import { type CausingRun, setCausingRun } from '../../outbox/causation.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import { fillTemplate } from '../../providers/meta/filled-template.rules.ts';
import type { WhatsAppTemplate } from '../../providers/meta/port.ts';
import { findTemplate } from '../../providers/meta/templates.ts';
import type { Secrets } from '../../secrets.ts';
import { getDelivery } from '../ledger/service.ts';
import { findMessageByRequestKey } from './queries.ts';
import type { SendTemplate } from './schema.ts';
import { type DeliveryWait, requestMessage, waitForDelivery } from './service.ts';

const CHANNEL = 'whatsapp';

export interface WhatsAppDeps extends DeliveryWait {
  secrets: Secrets;
  egress: HttpClient;
  calls: Pick<ConnectionCalls, 'observe'>;
  /** Whether the sandbox replaces WhatsApp if it is not connected. */
  isDevelopment: boolean;
}

type TemplateRequest = SendTemplate & {
  requestKey: string | null;
  /** The run of a customer's workflow that sends it. */
  cause?: CausingRun;
};

export interface SentTemplate {
  deliveryId: string;
  sessionId: string;
}

/**
 * Accepts a template message in a session of the contact and waits some seconds for WhatsApp's response. A request
 * repeated under its key after a crash finds its message and sends nothing again, whatever has become of the template.
 * Throws invalid for a wrong template or wrong variables, notFound and conflict for the contact or session, and the error
 * of WhatsApp where it does not show the template.
 */
export async function sendTemplate(
  db: Db,
  deps: WhatsAppDeps,
  orgId: string,
  request: TemplateRequest,
): Promise<SentTemplate> {
  const sent = (await findSentTemplate(db, orgId, request)) ?? (await requestTemplate(db, deps, orgId, request));
  await waitForDelivery(db, orgId, sent.deliveryId, deps);
  return sent;
}

async function requestTemplate(
  db: Db,
  deps: WhatsAppDeps,
  orgId: string,
  request: TemplateRequest,
): Promise<SentTemplate> {
  const template = await templateOf(db, deps, orgId, request);
  return inTransaction(
    db,
    async (trx) =>
      (await findSentTemplate(trx, orgId, request)) ?? (await insertTemplate(trx, orgId, request, template)),
  );
}

/** Finds what the same request has sent. */
async function findSentTemplate(
  db: Db,
  orgId: string,
  { requestKey }: TemplateRequest,
): Promise<SentTemplate | undefined> {
  const made = requestKey === null ? undefined : await findMessageByRequestKey(db, orgId, requestKey);
  if (made === undefined) return undefined;
  return { deliveryId: made, sessionId: (await getSessionOfMessage(db, orgId, made)).id };
}

async function insertTemplate(
  trx: Trx,
  orgId: string,
  request: TemplateRequest,
  { template, text }: SentContent,
): Promise<SentTemplate> {
  const { requestKey, cause } = request;
  if (cause !== undefined) await setCausingRun(trx, cause);
  const [resolved] = await resolveContacts(trx, orgId, [request.contact]);
  if (resolved?.contactId === undefined) throw notFound('contact');
  const { id: contactId, phone_number: to } = await getContact(trx, orgId, resolved.contactId);
  if (to === null) throw invalid('contact: has no phone number to send to');
  const session = await sessionFor(trx, orgId, { sessionId: request.session_id, contactId });
  const content = { phoneNumberId: request.phone_number_id, template };
  const message = { channel: 'whatsapp', content, contactId, to, sender: request.phone_number_id, requestKey } as const;
  const deliveryId = await requestMessage(trx, orgId, message);
  await addSentMessage(trx, orgId, {
    id: deliveryId,
    sessionId: session.id,
    content: text,
    kind: 'template',
  });
  return { deliveryId, sessionId: session.id };
}

/** Locks the given session. Opens one if none is given, or if it is the contact's on another channel. */
async function sessionFor(
  trx: Trx,
  orgId: string,
  { sessionId, contactId }: { sessionId: string | undefined; contactId: string },
): Promise<{ id: string }> {
  if (sessionId === undefined) return openSession(trx, orgId, { contactId, channel: CHANNEL });
  const session = await lockSession(trx, orgId, sessionId);
  const isElsewhere = session.contact_id === contactId && session.channel !== CHANNEL;
  if (isElsewhere) return openSession(trx, orgId, { contactId, channel: CHANNEL });
  return lockOpenSession(trx, orgId, { sessionId, contactId, channel: CHANNEL });
}

/** A filled template, and the text that the contact reads. */
interface SentContent {
  template: WhatsAppTemplate;
  text: string;
}

/** Returns the template to send, with its variables filled in. The sandbox accepts any id as a name. */
async function templateOf(
  db: Db,
  { secrets, egress, calls, isDevelopment }: WhatsAppDeps,
  orgId: string,
  { template_id, variables }: SendTemplate,
): Promise<SentContent> {
  const connection = await findConnection(db, secrets, orgId, 'whatsapp');
  if (connection === undefined) {
    if (!isDevelopment) throw conflict('WhatsApp is not connected: PUT /integrations/whatsapp first');
    return sandboxContentOf(template_id, variables);
  }
  const observed = calls.observe(egress, { orgId, kind: CHANNEL, settings: connection });
  const template = await findTemplate(observed, connection, template_id);
  if (template === undefined) throw invalid('body.template_id: WhatsApp knows no template with this id');
  if (template.status !== 'APPROVED')
    throw conflict(`The template ${template.name} is ${template.status}, not APPROVED`);
  const filled = fillTemplate(template, variables);
  if ('problem' in filled) throw invalid(`body.variables: the template ${template.name} ${filled.problem}`);
  const { name, language } = template;
  return { template: { name, language, components: filled.components }, text: filled.text };
}

/** Returns a template of the sandbox, whose words nobody knows. */
function sandboxContentOf(name: string, variables: string[]): SentContent {
  const parameters = variables.map((text) => ({ type: 'text', text }));
  return {
    template: { name, language: 'en', components: parameters.length === 0 ? [] : [{ type: 'body', parameters }] },
    text: variables.length === 0 ? `Template ${name}` : `Template ${name}: ${variables.join(', ')}`,
  };
}

/**
 * Returns the outcome of a sent template for its request. Throws conflict if the contact prevented the send, and
 * invalid if WhatsApp refused it.
 */
export async function sentTemplateResponseOf(db: Db, orgId: string, { deliveryId, sessionId }: SentTemplate) {
  const { status, reason, provider_id } = await getDelivery(db, orgId, deliveryId);
  if (status === 'skipped' || status === 'suppressed' || status === 'canceled')
    throw conflict(`The message was not sent: ${reason}`);
  if (status === 'failed') throw invalid(`WhatsApp refused the message: ${reason}`);
  return { whatsapp_message_id: provider_id, opencx_message_id: deliveryId, opencx_session_id: sessionId };
}
