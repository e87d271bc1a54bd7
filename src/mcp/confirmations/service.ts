import { canonicalJson } from '../../collections/canonical-json.ts';
import { listResponsible } from '../../conversations/assignment/service.ts';
import { getSession } from '../../conversations/sessions/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { lockName } from '../../db/locks.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DomainError, forbidden, missingScope, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { OrgPrincipal } from '../../keys/verifier.ts';
import { addNotifications } from '../../notifications/service.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { hasScope } from '../../schemas/scopes.ts';
import { requestOf, TOOLS, type ToolRequest } from '../tools/service.ts';
import type { Tool } from '../tools/tool.schema.ts';
import {
  beginCall,
  type Confirmation,
  deleteOfSessions,
  findConfirmation,
  findSameConfirmation,
  insertConfirmation,
  listConfirmations,
  markNotified,
  rejectCall,
  storeAnswer,
} from './queries.ts';
import type { ListMcpConfirmations } from './schema.ts';

export { deleteOldMcpConfirmations } from './queries.ts';

/** What the API has answered. `isReplayed`: to an earlier request with the same Idempotency-Key. */
export interface Performed {
  status: number;
  body: unknown;
  isReplayed: boolean;
}

/** Makes a request to the API with the credentials of whoever confirms. */
export type Perform = (request: ToolRequest, idempotencyKey?: string) => Promise<Performed>;

/**
 * Has a call of a tool wait for a person. Returns its id, which is that of the same call a minute ago if there is one.
 * With `isNotified`, members who have the session hear of it. Throws notFound for an unknown session.
 */
export async function askForConfirmation(
  db: Db,
  { id: orgId, keyId, name }: OrgPrincipal,
  tool: Tool,
  given: Record<string, unknown>,
  { isNotified }: { isNotified: boolean },
): Promise<string> {
  const sessionId = tool.path.startsWith('/chat/sessions/') ? (await getSession(db, orgId, String(given.id))).id : null;
  const asked = {
    id: newId(),
    key_id: keyId,
    key_name: name,
    tool: tool.name,
    arguments: given,
    session_id: sessionId,
  };
  return inTransaction(db, async (trx) => {
    await lockName(trx, `mcp confirmation ${keyId} ${tool.name}`); // the same call may come twice at once
    const same = await findSameConfirmation(trx, orgId, asked);
    if (same === undefined) await insertConfirmation(trx, orgId, asked);
    const id = same?.id ?? asked.id;
    if (isNotified) await notifyResponsible(trx, orgId, id);
    return id;
  });
}

/** Has members who have the session hear, once, of a call that waits. */
async function notifyResponsible(trx: Trx, orgId: string, id: string): Promise<void> {
  const sessionId = (await markNotified(trx, orgId, id))?.session_id;
  if (sessionId == null) return;
  const members = await listResponsible(trx, orgId, sessionId, { orAvailable: true });
  await addNotifications(trx, orgId, members, { kind: 'confirmation', sessionId, data: { mcp_confirmation_id: id } });
}

/** Returns a call that needed a confirmation. Throws notFound. */
export async function getMcpConfirmation(db: Db, orgId: string, id: string) {
  return shown(await existing(db, orgId, id));
}

/** Returns a page of calls, oldest first: those that wait, or all. */
export async function pageOfMcpConfirmations(db: Db, orgId: string, { all, ...range }: ListMcpConfirmations) {
  const { items, next } = await pageOf(db, range, (page) =>
    listConfirmations(db, orgId, page, { isAll: all === 'true' }),
  );
  return { items: items.map(shown), next };
}

/**
 * Makes a call that waits, once. Throws notFound, forbidden for the key that asked and for whoever may not do it
 * without a confirmation, gone once the time is over, and conflict if it is decided.
 */
export async function confirmCall(db: Db, org: OrgPrincipal, id: string, perform: Perform) {
  const call = await existing(db, org.id, id);
  const tool = toolNamed(call.tool);
  assertMayDecide(org, call, tool);
  if (!(await beginCall(db, org.id, id, org.name))) throw decided(call);
  await makeCall(db, org.id, call, perform);
  return getMcpConfirmation(db, org.id, id);
}

/** Makes a call that has begun, and stores its end. A second attempt has the same Idempotency-Key. */
async function makeCall(db: Db, orgId: string, { id, tool, arguments: given }: Confirmation, perform: Perform) {
  const answer = await perform(requestOf(toolNamed(tool), given), `mcp ${id}`);
  const { status, body } = answer;
  const state = status < 400 ? 'done' : 'failed';
  await storeAnswer(db, orgId, id, { state, status, answer: body === '' ? undefined : body });
  return answer;
}

/** What a person said to the question of a client, about a call with these arguments. */
export interface ClientDecision {
  id: string;
  tool: Tool;
  given: Record<string, unknown>;
  isAccepted: boolean;
}

/**
 * Makes or rejects a call as a person decided at the client of the key that asked. Returns the answer of the operation
 * if this made it, and the state of the call. Throws notFound if the call is another one.
 */
export async function decideByClient(
  db: Db,
  org: OrgPrincipal,
  { id, tool, given, isAccepted }: ClientDecision,
  perform: Perform,
) {
  const call = await sameCall(db, org, { id, tool, given });
  const by = `${org.name} (client)`;
  if (!isAccepted) await rejectCall(db, org.id, id, by);
  const isBegun = isAccepted && (await beginCall(db, org.id, id, by));
  const answer = isBegun ? await makeCall(db, org.id, call, perform) : undefined;
  const { state } = await getMcpConfirmation(db, org.id, id);
  return { answer, state };
}

/**
 * Leaves a call that a client was asked about to the console, where members hear of it. Returns its state. Throws notFound
 * if the call is another one.
 */
export async function moveToConsole(db: Db, org: OrgPrincipal, asked: Omit<ClientDecision, 'isAccepted'>) {
  const { state } = shown(await sameCall(db, org, asked));
  await inTransaction(db, (trx) => notifyResponsible(trx, org.id, asked.id));
  return state;
}

/** Returns the call that a client was asked about, with these arguments and for this key. Throws notFound. */
async function sameCall(db: Db, org: OrgPrincipal, { id, tool, given }: Omit<ClientDecision, 'isAccepted'>) {
  const call = await existing(db, org.id, id);
  const isSame = call.key_id === org.keyId && call.tool === tool.name;
  if (!isSame || canonicalJson(call.arguments) !== canonicalJson(given)) throw notFound('confirmation');
  return call;
}

/** Rejects a call that waits. Throws as `confirmCall`. */
export async function rejectMcpCall(db: Db, org: OrgPrincipal, id: string) {
  const call = await existing(db, org.id, id);
  assertMayDecide(org, call, toolNamed(call.tool));
  if (!(await rejectCall(db, org.id, id, org.name))) throw decided(call);
  return getMcpConfirmation(db, org.id, id);
}

/** Reaction to redactions: what assistants wanted to write into the session goes too. */
export const deleteConfirmationsOfSession: Reaction<'session-redacted'> = async (trx, orgId, events) => {
  await deleteOfSessions(trx, orgId, [...new Set(events.map(({ subject_id }) => subject_id))]);
};

async function existing(db: Db, orgId: string, id: string): Promise<Confirmation> {
  const call = await findConfirmation(db, orgId, id);
  if (call === undefined) throw notFound('confirmation');
  return call;
}

function assertMayDecide(org: OrgPrincipal, { key_id }: Confirmation, { scope }: Tool): void {
  if (org.keyId === key_id) throw forbidden('The key that asked cannot decide: a member or another key has to');
  if (!hasScope(org, scope)) throw missingScope(scope);
}

function toolNamed(name: string): Tool {
  const tool = TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new DomainError('conflict', `There is no tool ${name} any more`);
  return tool;
}

const decided = ({ state, expires_at }: Confirmation): DomainError =>
  state === 'needs_confirmation' && expires_at <= new Date()
    ? new DomainError('gone', 'The time to decide is over: the assistant has to ask again')
    : new DomainError('conflict', 'Somebody has decided already');

function shown({ key_id, key_name, state, ...call }: Confirmation) {
  const isExpired = state === 'needs_confirmation' && call.expires_at <= new Date();
  const title = TOOLS.find(({ name }) => name === call.tool)?.title ?? call.tool;
  return { ...call, title, asked_by: key_name, state: isExpired ? ('expired' as const) : state };
}
