import { returnToAi } from '../../conversations/ai/service.ts';
import { getSession, lockSession } from '../../conversations/sessions/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { type ListOrder, pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, notFound } from '../../errors.ts';
import { listCallsById } from '../calls/service.ts';
import {
  findTurn,
  listClaims,
  listSessionsWithOpenTurn,
  listSteps,
  listTurns,
  listVain,
  type TurnFilter,
  updateHelpfulness,
} from './queries.ts';
import { wakeTurns } from './requests.service.ts';
import type { ListTurns } from './schema.ts';
import { callIdsOf, traceOf } from './trace.service.ts';

const MS_PER_DAY = 86_400_000;
const DEFAULT_DAYS = 30;

/** Records a contact's vote on an answer. A message not written by the AI changes nothing. */
export const rateAnswer = (trx: Trx, orgId: string, messageId: string, isHelpful: boolean): Promise<void> =>
  updateHelpfulness(trx, orgId, messageId, isHelpful);

/** Returns those of the sessions with a turn of the AI under way. */
export const listAnsweringSessions = async (db: Db, orgId: string, sessionIds: string[]): Promise<string[]> =>
  sessionIds.length === 0 ? [] : listSessionsWithOpenTurn(db, orgId, sessionIds);

/** Returns the ids of the AI's last messages without an answer in a session. */
export const listVainMessages = async (db: Db, orgId: string, sessionId: string): Promise<Set<string>> =>
  new Set((await listVain(db, orgId, sessionId)).map(({ message_id }) => message_id));

/** Returns a page of the org's turns, oldest first: of the last 30 days unless `from` or `to` is given. */
export function pageOfTurns(db: Db, orgId: string, { cursor, limit, order, ...query }: ListTurns) {
  const isOpenEnded = query.from === undefined && query.to === undefined;
  const from = isOpenEnded ? new Date(Date.now() - DEFAULT_DAYS * MS_PER_DAY) : dateOf(query.from);
  const filter = {
    state: query.state,
    reason: query.reason,
    from,
    to: dateOf(query.to),
    citedItemId: query.cited_item_id,
  };
  return readPage(db, orgId, filter, { cursor, limit, order });
}

const dateOf = (time: string | undefined): Date | undefined => (time === undefined ? undefined : new Date(time));

/** Returns a page of a session's turns, oldest first. Throws notFound. */
export async function pageOfSessionTurns(
  db: Db,
  orgId: string,
  sessionId: string,
  page: { cursor?: string | undefined; limit: number },
) {
  await getSession(db, orgId, sessionId);
  return readPage(db, orgId, { sessionId }, page);
}

async function readPage(
  db: Db,
  orgId: string,
  filter: TurnFilter,
  page: { cursor?: string | undefined; limit: number; order?: ListOrder },
) {
  const { items, next } = await pageOf(db, page, (page) => listTurns(db, orgId, filter, page));
  return { items: await withTraces(db, orgId, items), next };
}

/** Returns a turn with its steps. Throws notFound. */
export async function getTurn(db: Db, orgId: string, id: string) {
  const turn = await findTurn(db, orgId, id);
  if (turn === undefined) throw notFound('turn');
  const [shown] = await withTraces(db, orgId, [turn]);
  if (shown === undefined) throw notFound('turn');
  return shown;
}

/** Adds the steps and sources of turns. */
async function withTraces<Turn extends { id: string; message_id: string; has_message: boolean }>(
  db: Db,
  orgId: string,
  turns: Turn[],
) {
  if (turns.length === 0) return [];
  const ids = turns.map(({ id }) => id);
  const [steps, claims] = await Promise.all([listSteps(db, orgId, ids), listClaims(db, orgId, ids)]);
  const calls = new Map((await listCallsById(db, orgId, callIdsOf(steps))).map((call) => [call.id, call]));
  const stepsOf = Map.groupBy(steps, ({ turn_id }) => turn_id);
  const claimsOf = Map.groupBy(claims, ({ turn_id }) => turn_id);
  return turns.map(({ message_id, has_message, ...turn }) => ({
    ...turn,
    message_id: has_message ? message_id : null,
    ...traceOf(stepsOf.get(turn.id) ?? [], calls),
    citations: claimsOf.get(turn.id) ?? [],
  }));
}

/**
 * Returns a session from people to the AI. It answers the messages waiting for a reply. Throws notFound, and conflict
 * for a closed session.
 */
export function giveBackToAi(db: Db, orgId: string, sessionId: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const session = await lockSession(trx, orgId, sessionId);
    if (session.status !== 'open')
      throw conflict(`The session is ${session.status}: open it first, by PATCH /chat/sessions/{id}`);
    if (session.ai_state === 'on' && session.handoff === null) return;
    await returnToAi(trx, orgId, session);
    await wakeTurns(trx, orgId, [sessionId]);
  });
}
