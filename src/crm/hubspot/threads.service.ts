import { linkTicketingSystem } from '../../conversations/handoff/status.service.ts';
import {
  addExternalAgentMessage,
  addExternalCustomerMessage,
  addExternalNote,
  isReturnedToAiAfter,
  openExternalSession,
} from '../../conversations/messages/external-messages.service.ts';
import type { SendingDeps } from '../../conversations/messages/service.ts';
import { handOff } from '../../conversations/sessions/actions.service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { idOf } from '../../ids.ts';
import type { MediaLinks } from '../../media/links.ts';
import { CrmError } from '../../providers/crm/errors.ts';
import type { Hubspot, Person, ThreadMessage } from '../../providers/crm/hubspot/port.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { CrmClients, HubspotSettings } from '../connection/clients.ts';
import type { ThreadRef } from '../contract.ts';
import { findLinkOfThread, linkSession, lockThread, updateReadUntil } from '../handoffs/links.shared.queries.ts';
import { type EventDecision, processQueue, type QueueProgress } from '../inbound/event-queue.service.ts';
import { deferEvent, type QueuedEvent, type Settlement } from '../inbound/event-queue.shared.queries.ts';
import { isOwnThreadMessage } from '../outgoing/own-messages.service.ts';
import { countUnsentMessages } from '../outgoing/shared.queries.ts';
import { isAssignedToHuman, type Route, routeOf } from './message-routing.rules.ts';
import { createThreadReader, type ThreadReader } from './thread-reader.ts';

/** HubSpot's channels (Conversations API, v3) and ours. */
const CHANNEL_BY_ID: Record<string, SessionChannel> = {
  1000: 'web',
  1001: 'messenger',
  1002: 'email',
  1007: 'whatsapp',
};
const EMAIL_CHANNEL_ID = '1002';
/** Time for other workflows to draft and sign an e-mail. */
const EMAIL_DELAY_MS = 5_000;

export interface ThreadDeps {
  crms: CrmClients;
  sending: SendingDeps;
  isStopped: () => boolean;
}

type ConnectedHubspot = NonNullable<Awaited<ReturnType<CrmClients['hubspot']>>>;

export interface ThreadProgress extends QueueProgress {
  /** The number of messages still to be posted in the thread. */
  unsent: number;
}

/** Processes the events of a thread: its messages become part of its session. */
export async function syncThread(db: Db, deps: ThreadDeps, { orgId, threadId }: ThreadRef): Promise<ThreadProgress> {
  const crm = await deps.crms.hubspot(orgId);
  const reader = crm && createThreadReader(crm.client, threadId);
  const drained = await processQueue(db, orgId, `thread/${threadId}`, {
    isStopped: deps.isStopped,
    handle: async (event) => {
      if (crm === undefined || reader === undefined) return { state: 'failed', reason: 'HubSpot is not connected' };
      if (event.type === 'conversation.newMessage')
        return handleMessage(db, deps, { orgId, threadId, ...crm, reader }, event);
      if (event.type === 'conversation.propertyChange') return handleAssignment(orgId, threadId, crm.settings, event);
      return { state: 'skipped', reason: 'of no interest' };
    },
  });
  const link = await findLinkOfThread(db, orgId, threadId);
  if (link === undefined) return { ...drained, unsent: 0 };
  return { ...drained, unsent: await countUnsentMessages(db, orgId, { sessionId: link.session_id, target: 'thread' }) };
}

async function handleMessage(
  db: Db,
  { sending }: ThreadDeps,
  { orgId, threadId, client, settings, reader }: ThreadRef & ConnectedHubspot & { reader: ThreadReader },
  { dedupe_key, payload, has_waited }: QueuedEvent,
): Promise<EventDecision> {
  if (payload.message_id === undefined) return { state: 'skipped', reason: 'without a message' };
  const message = await reader.find(payload.message_id);
  if (message === undefined) return { state: 'skipped', reason: 'deleted' };
  const appId = settings.app_id ?? null;
  const route = await routeMessage(db, sending.mediaLinks, orgId, {
    message,
    isComment: payload.message_type === 'COMMENT',
    appId,
  });
  if ('skip' in route) return { state: 'skipped', reason: route.skip };
  if (message.channelId === EMAIL_CHANNEL_ID && !has_waited) {
    const waitMs = await deferEvent(db, orgId, dedupe_key, EMAIL_DELAY_MS);
    if (waitMs > 0) return { waitMs };
  }

  const link = await findLinkOfThread(db, orgId, threadId);
  const messages: RoutedMessage[] = [];
  for (const one of await reader.listBefore(message, link?.read_until ?? null)) {
    const to = await routeMessage(db, sending.mediaLinks, orgId, { message: one, isComment: false, appId });
    if (!('skip' in to)) messages.push({ message: one, to: to.to });
  }
  messages.push({ message, to: route.to });
  const thread = {
    orgId,
    threadId,
    settings,
    ...(link === undefined ? await describeThread(client, settings, threadId, messages) : UNKNOWN_PERSON),
  };
  return { effect: (trx) => storeMessages(trx, sending, thread, messages) };
}

/** The context for opening a session of a thread. */
interface ThreadContext extends ThreadRef {
  settings: HubspotSettings;
  person: Person | undefined;
  /** Whether a person of HubSpot has the thread already. */
  isWithHuman: boolean;
}

const UNKNOWN_PERSON = { person: undefined, isWithHuman: false };

async function describeThread(
  client: Hubspot,
  settings: HubspotSettings,
  threadId: string,
  messages: RoutedMessage[],
): Promise<Pick<ThreadContext, 'person' | 'isWithHuman'>> {
  const { ai_user_id, assist_mode } = settings;
  const isAsked = ai_user_id !== undefined && assist_mode !== true;
  const assignee = isAsked ? await unlessRefused(client.findAssignee(threadId)) : undefined;
  const person = await findPersonOf(client, threadId, messages);
  return { person, isWithHuman: isAssignedToHuman(assignee, ai_user_id) };
}

/** What is only good to know is no reason to wait. */
const unlessRefused = <Value>(asking: Promise<Value>): Promise<Value | undefined> =>
  asking.catch((error: unknown) => {
    if (error instanceof CrmError) return undefined;
    throw error;
  });

/**
 * Returns the contact of a thread: the sender of a customer message with an address, or else the contact known to
 * HubSpot. A failed request to HubSpot is no reason to wait.
 */
async function findPersonOf(client: Hubspot, threadId: string, messages: RoutedMessage[]): Promise<Person | undefined> {
  const sender = messages.find(({ message, to }) => to === 'customer' && message.senderEmail !== null)?.message;
  if (sender !== undefined) return { name: sender.senderName, email: sender.senderEmail, phone: null };
  return unlessRefused(client.findPerson(threadId));
}

interface RoutedMessage {
  message: ThreadMessage;
  to: Exclude<Route, { skip: string }>['to'];
}

const routeMessage = async (
  db: Db,
  links: MediaLinks,
  orgId: string,
  { message, ...known }: { message: ThreadMessage; isComment: boolean; appId: string | null },
): Promise<Route> => routeOf(message, { ...known, isOurs: await isOwnThreadMessage(db, links, orgId, message) });

/** Stores messages in their order. Messages stored earlier, by their own events, keep their position. */
async function storeMessages(
  trx: Trx,
  sending: SendingDeps,
  thread: ThreadContext,
  messages: RoutedMessage[],
): Promise<Settlement> {
  const { orgId, threadId } = thread;
  await lockThread(trx, orgId, threadId);
  let settlement: Settlement = { state: 'done' };
  for (const one of messages) settlement = await storeMessage(trx, sending, thread, one);
  const last = messages.at(-1)?.message.createdAt;
  if (last !== undefined) await updateReadUntil(trx, orgId, threadId, last);
  return settlement;
}

async function storeMessage(
  trx: Trx,
  sending: SendingDeps,
  thread: ThreadContext,
  { message, to }: RoutedMessage,
): Promise<Settlement> {
  const { orgId, threadId } = thread;
  const said = { id: idOf(orgId, 'hubspot message', message.id), text: message.text, name: message.senderName };
  const email = to === 'customer' ? message.senderEmail : null;
  const link = (await findLinkOfThread(trx, orgId, threadId))?.session_id;
  if (link === undefined && to === 'note') return { state: 'skipped', reason: 'the thread has no session' };
  const sessionId = link ?? (await openSessionOfThread(trx, thread, message));
  if (to === 'note') await addExternalNote(trx, orgId, sessionId, said);
  else if (to === 'agent') await addExternalAgentMessage(trx, sending, orgId, { ...said, sessionId, side: 'customer' });
  else await addExternalCustomerMessage(trx, orgId, sessionId, { ...said, email });
  return { state: 'done' };
}

async function openSessionOfThread(
  trx: Trx,
  { orgId, threadId, settings, person, isWithHuman }: ThreadContext,
  { channelId }: ThreadMessage,
): Promise<string> {
  const channel = CHANNEL_BY_ID[channelId ?? ''] ?? 'api';
  const { assist_mode: assistMode = false } = settings;
  const { id } = await openExternalSession(trx, orgId, { person, channel, assistMode });
  await linkSession(trx, orgId, id, { threadId });
  await linkTicketingSystem(trx, orgId, id, { name: 'hubspot', external_id: threadId, id_type: 'conversation_id' });
  if (isWithHuman) await handOff(trx, orgId, id, ASSIGNED);
  return id;
}

const ASSIGNED = { reason: 'Assigned in HubSpot', isExternal: true } as const;

/**
 * Hands off a conversation assigned to a human, unless it was returned to the AI since. The agents have it in the CRM
 * already, so nothing is created there.
 */
function handleAssignment(
  orgId: string,
  threadId: string,
  { ai_user_id, assist_mode }: HubspotSettings,
  { payload, occurred_at }: QueuedEvent,
): EventDecision {
  if (payload.property_name !== 'assignedTo') return { state: 'skipped', reason: 'of no interest' };
  if (assist_mode) return { state: 'skipped', reason: 'Assist Mode is on' };
  if (ai_user_id === undefined) return { state: 'skipped', reason: 'ai_user_id is not set' };
  if (!isAssignedToHuman(payload.property_value, ai_user_id)) return { state: 'skipped', reason: 'not assigned away' };
  return {
    async effect(trx) {
      const link = await findLinkOfThread(trx, orgId, threadId);
      if (link === undefined) return { state: 'skipped', reason: 'the thread has no session' };
      if (await isReturnedToAiAfter(trx, orgId, link.session_id, occurred_at))
        return { state: 'skipped', reason: 'returned to the AI since' };
      await handOff(trx, orgId, link.session_id, ASSIGNED);
      return { state: 'done' };
    },
  };
}
