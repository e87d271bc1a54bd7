import { isAutopilotOn } from '../../autopilot/service.ts';
import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import { announceRowChanged, lockSession } from '../../conversations/sessions/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, gone, invalid, notFound, refused } from '../../errors.ts';
import { type CallRow, CONFIRMATION_MS, checkArguments, exceedsLimits, fingerprintOf } from '../calls/service.ts';
import { wakeTurns } from '../turns/requests.service.ts';
import { isWithAi } from '../turns/review/rules.ts';
import { getToolOf } from '../workflow-tools/service.ts';
import {
  type AnswerRef,
  expireWaiting,
  findByToken,
  findConfirmation,
  findLastAsked,
  isCallTaken,
  listWaiting,
  lockConfirmation,
  setArguments,
  setQuestion,
  storeDecision,
} from './queries.ts';
import { type ConfirmationField, fieldsOf, groupedFieldsOf } from './question.rules.ts';
import type { ListConfirmations } from './schema.ts';
import { hashOf, newToken, orgOf } from './tokens.ts';
import { type WordingOptions, wordQuestion } from './wording.rules.ts';

const EXPIRED_PER_BATCH = 500;

/** The parts of a confirmation's message besides its text. */
export interface AskedConfirmation {
  id: string;
  text: string;
  fields: ConfirmationField[];
  expires_at: string;
  /** The action, if it asks for a form. */
  form_action_id?: string;
}

export interface Question {
  /** The text of the message: the question, the arguments, how to answer, and the link. */
  text: string;
  /** Undefined if an agent decides: then the text only says the request is being worked on. */
  confirmation?: AskedConfirmation;
}

/**
 * Words the question of a call before its confirmation, and gives it a link for 24 hours. Call it in the transaction of
 * storing it as the message `messageId`. Asked again, only the newest link works. Returns undefined if the call does
 * not wait any more.
 */
export async function askForConfirmation(
  trx: Trx,
  orgId: string,
  call: Pick<CallRow, 'id' | 'name' | 'arguments' | 'needs' | 'needs_because' | 'action_id' | 'state'>,
  { publicUrl, messageId, ...options }: Omit<WordingOptions, 'url'> & { publicUrl: string; messageId: string },
): Promise<Question | undefined> {
  if (call.state !== 'needs_confirmation') return undefined;
  const token = newToken(orgId);
  const { text, question, fields } = wordQuestion(call, { ...options, url: `${publicUrl}/a/${token}` });
  if (call.needs === 'agent') return { text };
  const asked = { messageId, tokenHash: hashOf(token), lastsMs: CONFIRMATION_MS };
  const set = await setQuestion(trx, orgId, call.id, asked);
  if (!set?.expires_at) return undefined;
  const form =
    call.needs_because === 'form' && call.action_id !== null
      ? { form_action_id: call.action_id, fields: groupedFieldsOf(call.arguments ?? {}) }
      : {};
  const confirmation = { id: call.id, text: question, fields, expires_at: set.expires_at.toISOString(), ...form };
  return { text, confirmation };
}

/**
 * Returns the call meant by a yes or no in these messages, if it still waits for its customer: the one of the newest
 * question before them. Messages with a decision about one call decide no other. Messages possibly about a question
 * decided by a link meanwhile decide none either.
 */
export async function findWaitingConfirmation(db: Db, orgId: string, answer: AnswerRef): Promise<CallRow | undefined> {
  const call = await findLastAsked(db, orgId, answer);
  return call?.state === 'needs_confirmation' && call.needs === 'customer' ? call : undefined;
}

/** Returns whether a call waits for a decision. */
export const isWaitingForDecision = async (db: Db, orgId: string, id: string): Promise<boolean> =>
  (await findConfirmation(db, orgId, id))?.state === 'needs_confirmation';

/** Returns a page of the calls waiting for a confirmation, oldest first. */
export async function pageOfConfirmations(db: Db, orgId: string, { session_id, ...range }: ListConfirmations) {
  const { items, next } = await pageOf(db, range, (page) => listWaiting(db, orgId, { ...page, sessionId: session_id }));
  return { items: items.map((call) => ({ ...call, fields: fieldsOf(call.arguments ?? {}) })), next };
}

/** Returns a call that needed a confirmation, whatever its outcome. Throws notFound. */
export async function getConfirmation(db: Db, orgId: string, id: string) {
  const call = await findConfirmation(db, orgId, id);
  if (call === undefined) throw notFound('confirmation');
  return call;
}

/** Returns the call of a link. Throws notFound. */
export async function getConfirmationByToken(db: Db, token: string) {
  const orgId = orgOf(token);
  const call = orgId === undefined ? undefined : await findByToken(db, orgId, hashOf(token));
  if (call === undefined) throw notFound('link');
  return call;
}

export interface Decision {
  decision: 'confirm' | 'reject';
  by: 'link' | 'widget' | 'message' | 'agent';
  /** The API key of an agent's decision. */
  keyId?: string;
  /** The message of a decision by message. */
  messageId?: string | undefined;
  /** Replaces the arguments, if the action asks for a form. */
  arguments?: unknown;
  /** Returns the path of an argument in the request, such as `body_params.order`. */
  pathOf?: (argument: string) => string;
}

/**
 * Confirms or rejects a call, and wakes the session's turn in the same transaction. The first of several decisions holds.
 * With arguments over the org's limits it goes on waiting, for an agent. Throws notFound, gone once its time is over,
 * invalid for arguments, and conflict if it was decided before, is not theirs to decide, or people have the session.
 */
export async function decideConfirmation(db: Db, orgId: string, id: string, decision: Decision): Promise<CallRow> {
  const { session_id } = await getConfirmation(db, orgId, id);
  return inTransaction(db, async (trx) => {
    const session = await lockSession(trx, orgId, session_id);
    const call = await lockConfirmation(trx, orgId, id);
    if (call === undefined) throw notFound('confirmation');
    if (call.state === 'expired' || (call.state === 'needs_confirmation' && call.is_expired === true))
      throw gone('The time to confirm this call is over');
    if (call.state !== 'needs_confirmation') throw conflict('This confirmation was already accepted or rejected');
    const { by, keyId = null, messageId = null } = decision;
    if (call.needs === 'agent' && by !== 'agent')
      throw conflict('This call needs an agent’s approval; a contact cannot confirm it');
    if (decision.decision === 'reject') return decide(trx, call, { state: 'rejected', by, keyId, messageId });
    if (!isWithAi(session) || !(await isAutopilotOn(trx, orgId, session.channel)))
      throw conflict('The AI does not have this session now, and makes no calls in it');
    if (await isContactBlocked(trx, orgId, session.contact_id)) throw conflict('The contact is blocked');
    const changed = await replaceArguments(trx, call, decision);
    return changed.needs === 'agent' && by !== 'agent'
      ? changed
      : decide(trx, changed, { state: 'confirmed', by, keyId, messageId });
  });
}

async function decide(trx: Trx, call: CallRow, to: Parameters<typeof storeDecision>[3]): Promise<CallRow> {
  const decided = await storeDecision(trx, call.org_id, call.id, to);
  await wakeTurns(trx, call.org_id, [call.session_id]);
  announceRowChanged(trx, call.org_id, call.session_id);
  return decided;
}

const inArguments = (argument: string): string => `body.arguments.${argument}`;

async function replaceArguments(
  trx: Trx,
  call: CallRow,
  { arguments: args, pathOf = inArguments }: Decision,
): Promise<CallRow> {
  if (args === undefined) return call;
  const { org_id, turn_id, contact_id: contactId } = call;
  const action = await getToolOf(trx, org_id, call);
  if (!action.require_form_submission)
    throw refused('arguments', 'can be changed only where the action asks for a form');
  const checked = await checkArguments(trx, { orgId: org_id, turnId: turn_id }, { action, arguments: args, contactId });
  if ('issues' in checked) {
    const issues = checked.issues.map(({ path, message }) => ({ path: pathOf(path), message }));
    const summary = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
    throw invalid(`The request is not valid: ${summary.slice(0, 500)}`, issues);
  }
  const { parameters } = checked;
  const fingerprint = fingerprintOf({ action, parameters, contactId, turnId: turn_id });
  if (await isCallTaken(trx, org_id, call, fingerprint)) throw conflict('The same call was already asked for');
  const isForAgent = exceedsLimits(action, parameters);
  return setArguments(trx, org_id, call.id, { parameters: JSON.stringify(parameters), fingerprint, isForAgent });
}

/** Ends some of the expired confirmations. Returns their number. */
export const expireConfirmations = (db: Db): Promise<number> => expireWaiting(db, EXPIRED_PER_BATCH);
