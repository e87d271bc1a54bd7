import { deliverToChannel, type SendingDeps } from '../../conversations/messages/service.ts';
import { lockSession, type SessionRow } from '../../conversations/sessions/service.ts';
import { goesToAddress } from '../../conversations/transport.rules.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { SurveyLinks } from '../../deliveries/ledger/delivery-links.ts';
import { hasWrittenLately, recordSkipped } from '../../deliveries/messages/service.ts';
import { DomainError } from '../../errors.ts';
import { readSettings } from '../../orgs/service.ts';
import { findScoreOf } from '../service.ts';
import type { SurveyProgress, SurveyRef } from './contract.ts';
import { findAskingOrg, findPendingSurvey, settleSurvey } from './queries.ts';
import { wordsIn } from './words.rules.ts';

const WINDOW_OVER = 'WhatsApp takes texts for 24 hours after the contact’s last message';

export interface SurveyDeps {
  sending: SendingDeps;
  surveyLinks: SurveyLinks;
}

/**
 * Requests the delivery of a survey that is due, in the session's channel. A session that was reopened, resolved again or
 * scored meanwhile gets none. What prevents the delivery is in the ledger, under the survey's id. Returns the time until it
 * is due. Idempotent.
 */
export function sendDueSurvey(db: Db, deps: SurveyDeps, ref: SurveyRef): Promise<SurveyProgress> {
  return inTransaction(db, async (trx) => {
    const waiting = await findPendingSurvey(trx, ref);
    if (waiting === undefined) return { dueInMs: null };
    const session = await lockSession(trx, ref.orgId, waiting.session_id);
    const survey = await findPendingSurvey(trx, ref);
    if (survey === undefined) return { dueInMs: null };
    const isWanted = await isStillWanted(trx, ref.orgId, session, survey);
    if (isWanted && survey.due_in_ms > 0) return { dueInMs: survey.due_in_ms };
    const isSent = isWanted && (await requestDelivery(trx, deps, ref, session));
    await settleSurvey(trx, ref, isSent ? 'requested' : 'skipped');
    return { dueInMs: null };
  });
}

async function isStillWanted(
  trx: Trx,
  orgId: string,
  { status, resolutions }: SessionRow,
  survey: { session_id: string; resolution: number },
): Promise<boolean> {
  if (status !== 'closed_resolved' || resolutions !== survey.resolution) return false;
  return (await readSettings(trx, orgId)).csat === true && (await findScoreOf(trx, orgId, survey)) === undefined;
}

/** Requests the delivery, or records why there can be none. Returns whether it was requested. */
async function requestDelivery(
  trx: Trx,
  deps: SurveyDeps,
  { orgId, surveyId: id }: SurveyRef,
  session: SessionRow,
): Promise<boolean> {
  const { channel, contact_id: contactId } = session;
  if (!goesToAddress(channel) || contactId === null) return false;
  const isTooLate = channel === 'whatsapp' && !(await hasWrittenLately(trx, orgId, { contactId, channel }));
  const problem = isTooLate ? WINDOW_OVER : await deliver(trx, deps, orgId, session, id);
  if (problem === undefined) return true;
  await recordSkipped(trx, orgId, { id, channel, contactId, reason: problem });
  return false;
}

/** Returns why the message cannot be sent, or undefined. */
async function deliver(
  trx: Trx,
  { sending, surveyLinks }: SurveyDeps,
  orgId: string,
  session: SessionRow,
  id: string,
): Promise<string | undefined> {
  const { name, language } = await findAskingOrg(trx, orgId);
  const { words } = wordsIn(session.language, language);
  const text = `${name}: ${words.question} ${surveyLinks.urlOf({ orgId, deliveryId: id })}`;
  try {
    await deliverToChannel(trx, sending, orgId, { session, id, text, files: [], isAutoReply: true, isOptional: true });
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error.message;
    throw error;
  }
}
