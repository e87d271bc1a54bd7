import { isAutopilotOnAnywhere } from '../../autopilot/service.ts';
import { batchByKey } from '../../concurrency/batch-by-key.ts';
import { blockedContactIn } from '../../contacts/blocklist/service.ts';
import type { Db } from '../../db/connect.ts';
import { isDatabaseUnavailable, isDeadlock } from '../../db/failures.ts';
import { notifyAfterCommit } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import { detectLanguage, mayShowLanguage } from '../../languages/detection.ts';
import { wakeForEvents } from '../../outbox/wake.ts';
import { currentWriter, runAsOwner, setOwner } from '../../processes/current-work.ts';
import { isTracing } from '../../tracing/spans.ts';
import { LIVE_CHANNEL } from '../live/rules.ts';
import { type PlainAppended, type PlainMessage, plainAppender } from './plain-messages.queries.ts';

/** Those that come meanwhile are the next set. Two sets would only wait for the same disk. */
const LIMITS = { maxConcurrent: 1, maxBatchSize: 50, maxWaiting: 1_000 };

/** Of a session's messages, so many are appended together with those of others. */
const MAX_ROUNDS = 2;

const appendMessages = plainAppender({
  isBlocked: (orgId) => blockedContactIn(orgId, 'session.contact_id'),
  hasAutopilot: isAutopilotOnAnywhere,
});

async function appendPlain(db: Db, orgId: string, messages: PlainMessage[]): Promise<PlainAppended[]> {
  const appended = await appendMessages(db, orgId, messages);
  for (const { session_id } of appended) notifyAfterCommit(db, LIVE_CHANNEL, `${orgId}/${session_id}`);
  if (appended.length > 0) wakeForEvents(db); // in one notification with those before
  return appended;
}

type Appended = PlainAppended | undefined;
type Append = (key: string, message: PlainMessage) => Promise<Appended>;

/** What appends messages together, by pool. */
const batches = new WeakMap<Db, Append>();

/**
 * Adds a contact's plain message. Returns undefined, and changes nothing, if it is not simply the next one of an open
 * session. Messages of an org that come while others are being stored are stored together.
 */
export async function addPlainMessage(db: Db, orgId: string, sessionId: string, text: string): Promise<Appended> {
  const message = { sessionId, id: newId(), text, mayShowLanguage: mayShowLanguage(text), language: null };
  const appended = await append(db, orgId, message);
  if (appended !== undefined || !message.mayShowLanguage) return appended;
  const language = (await detectLanguage(text)) ?? null;
  return append(db, orgId, { ...message, mayShowLanguage: language !== null, language });
}

const appendAlone = async (db: Db, orgId: string, message: PlainMessage): Promise<Appended> =>
  (await appendPlain(db, orgId, [message]))[0];

function append(db: Db, orgId: string, message: PlainMessage): Promise<Appended> {
  // A trace belongs to one message, and a transaction to one request.
  if (db.isTransaction || isTracing()) return appendAlone(db, orgId, message);
  const batch = batches.get(db) ?? createBatch(db);
  batches.set(db, batch);
  return batch(`${orgId} ${currentWriter() ?? ''}`, message);
}

const createBatch = (db: Db): Append =>
  batchByKey(LIMITS, (key, messages: PlainMessage[]) => {
    const [orgId = '', writer = ''] = key.split(' ');
    return runAsOwner(orgId, () => {
      setOwner(orgId, writer || orgId);
      return appendEach(db, orgId, messages);
    });
  });

/**
 * Appends messages, those of a session one after the other. Once a session does not take a message, its later ones are left.
 * Those behind its second are left too: a busy session must not delay others. If Postgres refuses the statement, which undoes
 * it, each message has its own result. Those stored before stay stored.
 */
async function appendEach(db: Db, orgId: string, messages: PlainMessage[]): Promise<(Appended | Promise<Appended>)[]> {
  const untaken = new Set<string>();
  const results = new Map<string, { appended: Appended } | { error: unknown }>();
  for (const messagesOfRound of roundsOf(messages).slice(0, MAX_ROUNDS)) {
    const round = messagesOfRound.filter(({ sessionId }) => !untaken.has(sessionId));
    if (round.length === 0) continue;
    try {
      for (const one of await appendPlain(db, orgId, round)) results.set(one.message_id, { appended: one });
    } catch (error) {
      for (const message of round) results.set(message.id, await resultAlone(db, orgId, { message, error, round }));
    }
    for (const { id, sessionId } of round) if (!results.has(id)) untaken.add(sessionId);
  }
  return messages.map(({ id }) => {
    const result = results.get(id);
    return result !== undefined && 'error' in result ? Promise.reject(result.error) : result?.appended;
  });
}

/** Returns the result of a message whose round has failed. */
async function resultAlone(
  db: Db,
  orgId: string,
  { message, error, round }: { message: PlainMessage; error: unknown; round: PlainMessage[] },
): Promise<{ appended: Appended } | { error: unknown }> {
  if (round.length === 1 || (isDatabaseUnavailable(error) && !isDeadlock(error))) return { error };
  try {
    return { appended: await appendAlone(db, orgId, message) };
  } catch (own) {
    return { error: own };
  }
}

/** Returns messages in rounds that have at most one of each session, in their order. Each round is sorted, as locks are. */
function roundsOf(messages: PlainMessage[]): PlainMessage[][] {
  const counts = new Map<string, number>();
  const rounds: PlainMessage[][] = [];
  for (const message of messages) {
    const round = counts.get(message.sessionId) ?? 0;
    counts.set(message.sessionId, round + 1);
    rounds[round] = [...(rounds[round] ?? []), message];
  }
  return rounds.map((round) => round.sort((one, other) => (one.sessionId < other.sessionId ? -1 : 1)));
}
