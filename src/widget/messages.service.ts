import { storeMessageOverrides } from '../actions/overrides/service.ts';
import { rateAnswer } from '../ai/turns/service.ts';
import { isAutopilotOn } from '../autopilot/service.ts';
import { isContactBlocked } from '../contacts/blocklist/service.ts';
import type { AnswersPort } from '../conversations/answers.port.ts';
import { attachmentOf, type StoredAttachment } from '../conversations/messages/attachments.service.ts';
import { addContactMessage, type Greeting } from '../conversations/messages/contact-messages.service.ts';
import { handOff } from '../conversations/sessions/actions.service.ts';
import { setSessionLanguage } from '../conversations/sessions/visitors.service.ts';
import type { Db, Trx } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { refused, refusedQuery } from '../errors.ts';
import { isUuid, newId } from '../ids.ts';
import type { MediaLinks } from '../media/links.ts';
import { findLinkedMedia } from '../media/service.ts';
import { readSettings } from '../orgs/service.ts';
import type { Secrets } from '../secrets.ts';
import { historyItemOf } from './history.rules.ts';
import {
  findAnswer,
  findSeqFrom,
  findSeqOf,
  hasHistory,
  hasMessage,
  hasPublicId,
  insertMessage,
  isEventId,
  listVisibleEvents,
  upsertVote,
} from './messages.queries.ts';
import type { HistoryStart, SendWidgetMessage, Vote } from './schema.ts';
import { getWidgetSession, type LockedWidgetSession, lockWidgetSession, mergeCustomData } from './sessions.service.ts';
import type { Visitor } from './visitors.service.ts';

const MAX_POLLED_EVENTS = 500;
const MAX_POLLED_BYTES = 1_000_000;
const MAX_SEQ = 2 ** 31 - 1;

export interface MessageDeps {
  mediaLinks: MediaLinks;
  secrets: Secrets;
}

/**
 * Adds a visitor's message to their session, once per uuid, and hands the session off to agents if the org wants that
 * and the AI does not answer on the channel. A blocked contact's message is stored without a handoff. Throws notFound,
 * and invalid for files not uploaded here and for too much data.
 */
function addVisitorMessage(db: Db, deps: MessageDeps, visitor: Visitor, message: SendWidgetMessage) {
  return inTransaction(db, async (trx) => {
    const session = await lockWidgetSession(trx, visitor, message.session_id);
    const isRepeated = await hasMessage(trx, visitor.orgId, session.id, message.uuid);
    const messageId = isRepeated ? undefined : await addMessage(trx, deps, visitor, { session, message });
    const now = await getWidgetSession(trx, visitor, session.id);
    const code = isRepeated ? { code: 'duplicate_message_ignored' } : {};
    const sent = { success: true as const, ...code, sessionIsHandedOff: now.isHandedOff, session: now };
    return { sent, messageId };
  });
}

/**
 * Adds a visitor's message, and waits for the AI's answer for `waitMs` at most. Throws the same errors as
 * addVisitorMessage; the message is stored before the wait.
 */
export async function sendVisitorMessage(
  db: Db,
  deps: MessageDeps & { answers: AnswersPort },
  visitor: Visitor,
  { message, waitMs }: { message: SendWidgetMessage; waitMs: number },
) {
  const { sent, messageId } = await addVisitorMessage(db, deps, visitor, message);
  if (messageId === undefined || waitMs === 0) return sent;
  const asked = { orgId: visitor.orgId, sessionId: sent.session.id, messageId };
  const { isHandedOff = false, ...answer } = await deps.answers.waitForAnswer(db, asked, waitMs);
  const session = await getWidgetSession(db, visitor, sent.session.id);
  return { ...sent, ...answer, sessionIsHandedOff: sent.sessionIsHandedOff || isHandedOff, session };
}

async function addMessage(
  trx: Trx,
  { mediaLinks, secrets }: MessageDeps,
  visitor: Visitor,
  { session, message }: { session: LockedWidgetSession; message: SendWidgetMessage },
): Promise<string> {
  const { orgId, contactId, name, avatarUrl } = visitor;
  const { uuid, content, attachments, language, custom_data, headers, query_params, body_properties } = message;
  const { clientContext, initial_messages } = message;
  const files = await resolveAttachments(trx, mediaLinks, orgId, attachments ?? []);
  const spoken = language ?? session.language;
  if (spoken !== null && spoken !== session.language) await setSessionLanguage(trx, orgId, session.id, spoken);
  const id = await assignMessageId(trx, orgId, session.id, uuid);
  const greetings = await nameGreetings(trx, orgId, session.id, initial_messages ?? []);
  await addContactMessage(
    trx,
    orgId,
    { ...session, language: spoken },
    {
      id,
      text: content,
      attachments: files,
      name: name ?? undefined,
      avatarUrl: avatarUrl ?? undefined,
      clientContext: clientContext ?? undefined,
      greetings,
    },
  );
  await storeMessageOverrides(trx, secrets, orgId, {
    messageId: id,
    overrides: { headers: headers ?? {}, query_params: query_params ?? {}, body_params: body_properties ?? {} },
  });
  if (custom_data) await mergeCustomData(trx, visitor, session.id, custom_data);
  const { handoff_on_first_message } = await readSettings(trx, orgId);
  const isForPeople = handoff_on_first_message === true && !(await isAutopilotOn(trx, orgId, session.channel));
  if (isForPeople && !(await isContactBlocked(trx, orgId, contactId)))
    await handOff(trx, orgId, session.id, { reason: null });
  return id;
}

/**
 * Makes the uuid the message's id, or assigns a new id if an event of another session of the org already has it. The
 * collision is not revealed to the visitors.
 */
async function assignMessageId(trx: Trx, orgId: string, sessionId: string, uuid: string): Promise<string> {
  const id = (await isEventId(trx, orgId, uuid)) ? newId() : uuid;
  await insertMessage(trx, { org_id: orgId, session_id: sessionId, uuid, message_id: id });
  return id;
}

/** Gives the page's greetings their ids. Returns none if the session has messages: they were shown before the first. */
async function nameGreetings(
  trx: Trx,
  orgId: string,
  sessionId: string,
  greetings: NonNullable<SendWidgetMessage['initial_messages']>,
): Promise<Greeting[]> {
  if (greetings.length === 0 || (await hasHistory(trx, orgId, sessionId))) return [];
  const named: Greeting[] = [];
  for (const { uuid, content: text } of greetings) {
    const isFree = uuid !== undefined && !(await hasPublicId(trx, orgId, sessionId, uuid));
    named.push({ id: isFree ? await assignMessageId(trx, orgId, sessionId, uuid) : newId(), text });
  }
  return named;
}

async function resolveAttachments(
  trx: Trx,
  links: MediaLinks,
  orgId: string,
  urls: string[],
): Promise<StoredAttachment[]> {
  const files = await findLinkedMedia(trx, links, orgId, urls);
  return files.map((file, index) => {
    if (file !== undefined) return attachmentOf(file);
    throw refused(`attachments.${index}.url`, 'must be the fileUrl of a file that was uploaded here in the last days');
  });
}

/**
 * Returns the visitor's session with its visible history, oldest first: what came after `since`, or else the latest.
 * Throws notFound, and invalid for the id of no event of the session.
 */
export async function readHistory(
  db: Db,
  links: MediaLinks,
  visitor: Visitor,
  { id, since }: HistoryStart & { id: string },
) {
  const session = await getWidgetSession(db, visitor, id);
  const after = since === undefined ? undefined : await placeOf(db, visitor.orgId, id, since);
  const limits = { limit: MAX_POLLED_EVENTS, maxBytes: MAX_POLLED_BYTES };
  const events = await listVisibleEvents(db, visitor.orgId, id, { after, ...limits });
  const history = events.map((event) => historyItemOf(links, event));
  // Read after the history, so that it knows of what the history shows.
  return { session: history.length === 0 ? session : await getWidgetSession(db, visitor, id), history };
}

/** The times of two events can be in another order than the events: all from the first one of this time count as new. */
async function placeOf(db: Db, orgId: string, sessionId: string, since: string): Promise<number> {
  if (!isUuid(since)) {
    const first = await findSeqFrom(db, orgId, sessionId, new Date(since));
    return first === undefined ? MAX_SEQ : first - 1;
  }
  const seq = await findSeqOf(db, orgId, sessionId, since);
  if (seq === undefined)
    throw refusedQuery('since', 'must be the publicId of an item of this session’s history, or a time');
  return seq;
}

/**
 * Stores a visitor's vote on an answer. Throws notFound for the session, and invalid for anything but an answer in it.
 */
export function recordVote(db: Db, visitor: Visitor, { action, sessionId, messagePublicId }: Vote) {
  return inTransaction(db, async (trx) => {
    const { orgId, contactId } = visitor;
    await getWidgetSession(trx, visitor, sessionId);
    const answer = await findAnswer(trx, orgId, sessionId, messagePublicId);
    if (answer === undefined) throw refused('messagePublicId', 'must be the publicId of an answer in this session');
    const isUp = action === 'upvote';
    await rateAnswer(trx, orgId, answer.id, isUp);
    await upsertVote(trx, { org_id: orgId, message_id: answer.id, contact_id: contactId, is_up: isUp });
    return { messagePublicId, success: true as const };
  });
}
