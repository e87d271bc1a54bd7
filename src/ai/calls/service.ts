import { createHash } from 'node:crypto';
import { checkParameters } from '../../actions/calls/http-call.ts';
import { ActionParameters } from '../../actions/calls/schema.ts';
import { onlyReads } from '../../actions/definitions/effects.rules.ts';
import { listDescriptions, readActionsById, type StoredAction } from '../../actions/definitions/service.ts';
import { contactIdsOf } from '../../contacts/merging/service.ts';
import { listResponsible } from '../../conversations/assignment/service.ts';
import { lockSession } from '../../conversations/sessions/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, type Issue, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { mayApply } from '../../json-logic/json-logic.ts';
import { addNotifications } from '../../notifications/service.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import { wakeTurns } from '../turns/requests.service.ts';
import { readWorkflowTools, type Tool } from '../workflow-tools/service.ts';
import { canonicalArguments, problemOfJson } from './arguments.rules.ts';
import { confirmationOf } from './confirming.rules.ts';
import {
  type CallKey,
  type CallRow,
  findAnsweredMessage,
  findCall,
  findFirstContact,
  findSameCall,
  insertCall,
  listCalls,
  lockCall,
  updateCall,
  wasRejected,
} from './queries.ts';
import type { ListCalls, SettleCall } from './schema.ts';
import { selectActions } from './selection.rules.ts';

export {
  type CallRow,
  expireUnsentCalls,
  findPromises,
  hasUnreported,
  listBegunCalls,
  listCallsById,
  listCallsOfSession,
  listToldCalls,
  listUnreported,
  markReported,
} from './queries.ts';

/** A confirmation can be given for this time. */
export const CONFIRMATION_MS = 24 * 60 * 60_000;
const MAX_MESSAGE = 500;

/** The place of a call. */
export interface CallPlace {
  orgId: string;
  sessionId: string;
  turnId: string;
  /** The beginning of the conversation known to the AI: the session's `ai_context_seq`. */
  epoch: number;
}

export interface Proposal {
  action: Tool;
  /** By the groups of ActionParameters. Whatever else it is, it is refused. */
  arguments: unknown;
  /** Whether the turn has read texts possibly written by others. */
  untrustedRead: boolean;
  isVerified: boolean;
  contactId: string | null;
  /** The scope of the kept answer, for a call that only reads. Absent: the turn. */
  readScope?: string;
}

/** Why no call was proposed. The message is for the model. */
export interface Refusal {
  code: 'invalid_arguments' | 'identity_required' | 'outcome_unknown';
  message: string;
}

export type Proposed = { call: CallRow; refusal?: never } | { refusal: Refusal; call?: never };

/**
 * Writes a call to the ledger before anything is sent: as `proposed`, or as `needs_confirmation`. The same call in the
 * same conversation is returned as it is stored: `done` is its receipt. After an unknown outcome it is refused.
 */
export function proposeCall(db: Db, place: CallPlace, proposal: Proposal): Promise<Proposed> {
  return inTransaction(db, async (trx) => {
    const checked = await checkProposal(trx, place, proposal);
    return 'refusal' in checked ? checked : storeCall(trx, place, proposal, checked.parameters);
  });
}

/** Returns the arguments of a permitted call, or the reason of a refusal. */
export async function checkProposal(
  db: Db,
  place: Pick<CallPlace, 'orgId' | 'turnId'>,
  proposal: Proposal,
): Promise<{ parameters: ActionParameters } | { refusal: Refusal }> {
  const { action, isVerified } = proposal;
  if (action.requires_verified && !isVerified) return refuse('identity_required', 'The contact is not verified');
  const checked = await checkArguments(db, place, proposal);
  return 'issues' in checked ? refuse('invalid_arguments', textOfIssues(checked.issues)) : checked;
}

/** Returns the confirmer of a call, with the reason. Undefined if nobody must. */
export const confirmationFor = (
  { action, untrustedRead }: Pick<Proposal, 'action' | 'untrustedRead'>,
  parameters: ActionParameters,
  wasRejected: boolean,
) =>
  confirmationOf({
    exceedsLimits: exceedsLimits(action, parameters),
    needsForm: action.require_form_submission,
    asksAlways: action.confirm === 'always',
    isRead: onlyReads(action),
    untrustedRead,
    wasRejected,
  });

const refuse = (code: Refusal['code'], message: string): { refusal: Refusal } => ({
  refusal: { code, message: message.slice(0, MAX_MESSAGE).toWellFormed() },
});

const textOfIssues = (issues: Issue[]): string => issues.map(({ path, message }) => `${path}: ${message}`).join('; ');

/** Returns the arguments if an action can be called with them, or their problems. */
export async function checkArguments(
  db: Db,
  { orgId, turnId }: Pick<CallPlace, 'orgId' | 'turnId'>,
  { action, arguments: args, contactId }: Pick<Proposal, 'action' | 'arguments' | 'contactId'>,
): Promise<{ parameters: ActionParameters } | { issues: Issue[] }> {
  const problem = problemOfJson(args);
  if (problem !== undefined) return { issues: [{ path: 'arguments', message: problem }] };
  const { success, data: parameters, error } = ActionParameters.safeParse(args ?? {});
  if (!success)
    return { issues: error.issues.map(({ path, message }) => ({ path: path.join('.') || 'arguments', message })) };
  const issues = await checkParameters(db, orgId, action, {
    parameters,
    contactId: contactId ?? undefined,
    messageId: (await findAnsweredMessage(db, orgId, turnId))?.message_id ?? undefined,
    isPageLimitedToHeaders: action.limits !== null,
  });
  return issues.length > 0 ? { issues } : { parameters };
}

async function storeCall(
  trx: Trx,
  { orgId, sessionId, turnId, epoch }: CallPlace,
  proposal: Proposal,
  parameters: ActionParameters,
): Promise<Proposed> {
  const { action, readScope = turnId } = proposal;
  const contactId = await contactOfCalls(trx, { orgId, sessionId, epoch }, proposal.contactId);
  const fingerprint = fingerprintOf({ action, parameters, contactId, turnId: readScope });
  const key = { orgId, sessionId, epoch, fingerprint };
  const confirmation = confirmationFor(proposal, parameters, await wasRejected(trx, key));
  const call = await insertCall(trx, {
    org_id: orgId,
    id: newId(),
    session_id: sessionId,
    turn_id: turnId,
    epoch,
    contact_id: contactId,
    action_id: action.isWorkflow ? null : action.id,
    workflow_id: action.isWorkflow ? action.id : null,
    operation_id: action.operation_id,
    name: action.name,
    arguments: JSON.stringify(parameters),
    fingerprint,
    state: confirmation === undefined ? 'proposed' : 'needs_confirmation',
    needs: confirmation?.needs ?? null,
    needs_because: confirmation?.because ?? null,
    lastsMs: confirmation === undefined ? null : CONFIRMATION_MS,
  });
  if (call !== undefined) {
    if (confirmation?.needs === 'agent') await notifyConfirmers(trx, orgId, { sessionId, callId: call.id });
    return { call };
  }
  const same = await findSameCall(trx, key);
  if (same === undefined || same.state === 'unknown')
    return refuse('outcome_unknown', 'It is not known whether this call was done. It is not made again');
  return { call: same };
}

/**
 * Returns the id by which the calls of a conversation know its contact. That is the one of its earlier calls, also if the
 * contact was merged into another one since: the same call has the same fingerprint then, and is not made twice. What reads
 * the contact of a call resolves the id of a merged one.
 */
async function contactOfCalls(
  db: Db,
  conversation: Omit<CallKey, 'fingerprint'>,
  contactId: string | null,
): Promise<string | null> {
  if (contactId === null) return null;
  const ids = await contactIdsOf(db, conversation.orgId, contactId);
  return ids.length === 1 ? contactId : ((await findFirstContact(db, conversation, ids)) ?? contactId);
}

async function notifyConfirmers(
  trx: Trx,
  orgId: string,
  { sessionId, callId }: { sessionId: string; callId: string },
): Promise<void> {
  const members = await listResponsible(trx, orgId, sessionId, { orAvailable: true });
  await addNotifications(trx, orgId, members, { kind: 'confirmation', sessionId, data: { call_id: callId } });
}

/**
 * Returns the same text for the same call. A read has no effect to protect from a repeat, so its answer is not kept for
 * later turns: it could be outdated.
 */
export function fingerprintOf({
  action,
  parameters,
  contactId,
  turnId,
}: {
  action: Pick<StoredAction, 'id' | 'request_type' | 'read_only'>;
  parameters: ActionParameters;
  contactId: string | null;
  turnId: string;
}): string {
  const scope = onlyReads(action) ? turnId : '';
  const parts = [action.id, canonicalArguments(parameters), contactId ?? '', scope];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Returns whether an agent must confirm a call. Limits count as exceeded if they cannot be evaluated. */
export const exceedsLimits = ({ limits }: Pick<StoredAction, 'limits'>, parameters: ActionParameters): boolean =>
  limits !== null && mayApply(limits as never, parameters as never);

/**
 * Returns the actions and workflows allowed for the AI on a channel: the pinned ones, and those nearest to the
 * conversation.
 */
export async function listTools(
  db: Db,
  orgId: string,
  { channel, text }: { channel: SessionChannel; text: string },
): Promise<Tool[]> {
  const workflows = await readWorkflowTools(db, orgId, channel);
  const selected = selectActions([...(await listDescriptions(db, orgId, channel)), ...workflows], text);
  const actions = await readActionsById(db, orgId, selected);
  return [...actions, ...workflows.filter(({ id }) => selected.includes(id))];
}

/** Returns a page of the org's calls. */
export const pageOfCalls = (db: Db, orgId: string, { state, session_id, ...page }: ListCalls) =>
  pageOf(db, page, (page) => listCalls(db, orgId, { state, sessionId: session_id }, page));

/**
 * Records an agent's finding about an unknown outcome, and wakes the session's turn. Throws notFound, and conflict for
 * any other call.
 */
export function settleCall(
  db: Db,
  orgId: string,
  id: string,
  { outcome, note, keyId }: SettleCall & { keyId: string },
): Promise<CallRow> {
  return inTransaction(db, async (trx) => {
    const found = await findCall(trx, orgId, id);
    if (found === undefined) throw notFound('call');
    await lockSession(trx, orgId, found.session_id); // the stored answer must not keep a text redacted meanwhile
    const call = await lockCall(trx, orgId, id);
    if (call === undefined) throw notFound('call');
    if (call.state !== 'unknown') throw conflict(`The call is ${call.state}: only an unknown outcome can be settled`);
    const state = outcome === 'done' ? 'done' : 'failed';
    const settled = await updateCall(trx, call, { state, reason: note, settled_key_id: keyId, reported_at: null });
    await wakeTurns(trx, orgId, [call.session_id]);
    return settled;
  });
}
