import { deleteMessageOverrides } from '../../actions/overrides/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { isUuid, newId } from '../../ids.ts';
import { softDeleteMedia } from '../../media/service.ts';
import { announce } from '../../outbox/announcing.ts';
import { currentActor } from '../../processes/current-work.ts';
import { SYSTEM } from '../../schemas/actor.ts';
import { recordEvents } from '../change-session.service.ts';
import { deleteDraftsOfSession } from '../composing/drafts.service.ts';
import type { DeliveriesPort } from '../deliveries.port.ts';
import { getSessionOfMessage, lockSession } from '../sessions/service.ts';
import { insertRedaction, listRedactions, type RedactedEvent, redactEvents, redactSummaries } from './queries.ts';
import type { ListRedactions, RedactMessage, RedactSession } from './schema.ts';
import type { RedactionsTable } from './table.ts';

export { purgeDeletedMedia as deleteRedactedFiles } from '../../media/service.ts';
export { countRedactions, redactionsOf } from './queries.ts';

export interface RedactionDeps {
  db: Db;
  deliveries: Pick<DeliveriesPort, 'redactMessages'>;
  /** Removes the session's texts from answers stored for repeated requests. */
  redactStoredAnswers(trx: Trx, orgId: string, sessionId: string): Promise<void>;
}

/** The id of the requesting API key. */
type ApiKeyId = string;

/**
 * Permanently removes a message's text and files from all places. Repeated, it finds nothing left. Returns the number
 * of removed texts. Throws notFound, and conflict while the message is being sent.
 */
export async function redactMessage(
  { db, ...deps }: RedactionDeps,
  orgId: string,
  by: ApiKeyId,
  { messageId, reason }: RedactMessage,
) {
  if (!isUuid(messageId)) throw notFound('message');
  return inTransaction(db, async (trx) => {
    const { id: sessionId } = await getSessionOfMessage(trx, orgId, messageId);
    const erased = await redact(trx, deps, orgId, { by, sessionId, messageId, reason });
    return { affected: erased.length };
  });
}

/** Permanently removes the texts and files of a session from all places. Throws the same errors as redactMessage. */
export async function redactSession(
  { db, ...deps }: RedactionDeps,
  orgId: string,
  by: ApiKeyId,
  { sessionId, reason }: RedactSession,
) {
  if (!isUuid(sessionId)) throw notFound('session');
  return inTransaction(db, async (trx) => {
    const erased = await redact(trx, deps, orgId, { by, sessionId, messageId: null, reason });
    return { affected: erased.length, messages: erased.filter(isMessage).length };
  });
}

/** Returns a page of redactions, oldest first. */
export const pageOfRedactions = (db: Db, orgId: string, query: ListRedactions) =>
  pageOf(db, query, (page) => listRedactions(db, orgId, query.session_id, page));

type RedactionRecord = Pick<RedactionsTable, 'kind' | 'affected'> &
  Partial<Pick<RedactionsTable, 'session_id' | 'message_id' | 'feedback_id'>>;

/** Records who redacted what and why. Returns the id of the record. */
export async function recordRedaction(
  trx: Trx,
  orgId: string,
  { by, reason = null }: { by: ApiKeyId; reason: string | null | undefined },
  record: RedactionRecord,
): Promise<string> {
  const id = newId();
  const actor = currentActor() ?? SYSTEM;
  const nothingElse = { session_id: null, message_id: null, feedback_id: null };
  await insertRedaction(trx, { ...nothingElse, ...record, org_id: orgId, id, reason, api_key_id: by, actor });
  return id;
}

const isMessage = ({ type }: RedactedEvent): boolean =>
  type === 'message' || type === 'workflow_message' || type === 'sequence_message';

interface RedactionTarget {
  by: ApiKeyId;
  sessionId: string;
  messageId: string | null;
  reason: string | undefined;
}

async function redact(
  trx: Trx,
  { deliveries, redactStoredAnswers }: Omit<RedactionDeps, 'db'>,
  orgId: string,
  { by, sessionId, messageId, reason }: RedactionTarget,
): Promise<RedactedEvent[]> {
  const { contact_id: contactId } = await lockSession(trx, orgId, sessionId);
  const isWhole = messageId === null;
  const erased = await redactEvents(trx, orgId, sessionId, messageId);
  await redactSummaries(trx, orgId, sessionId, { isWhole });
  const ids = erased.filter(isMessage).map(({ id }) => id);
  await deliveries.redactMessages(trx, orgId, { ids, contactId });
  await redactStoredAnswers(trx, orgId, sessionId);
  await deleteMessageOverrides(trx, orgId, ids);
  const files = erased.flatMap(({ attachments }) => attachments.map(({ media_id }) => media_id));
  await softDeleteMedia(trx, orgId, [...files, ...(await deleteDraftsOfSession(trx, orgId, sessionId))]);
  await announce(trx, orgId, [{ type: 'session-redacted', subject_id: sessionId, payload: { message_id: messageId } }]);
  const kind = isWhole ? 'session' : 'message';
  const record = { kind, session_id: sessionId, message_id: messageId, affected: erased.length } as const;
  const id = await recordRedaction(trx, orgId, { by, reason }, record);
  if (erased.length > 0)
    await recordEvents(trx, orgId, sessionId, [{ id, type: 'redacted', data: { message_id: messageId } }]);
  return erased;
}
