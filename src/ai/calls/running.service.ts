import { setTimeout as sleep } from 'node:timers/promises';
import type { CallDeps } from '../../actions/calls/deps.ts';
import { sendAction } from '../../actions/calls/http-call.ts';
import { onlyReads } from '../../actions/definitions/effects.rules.ts';
import type { StoredAction } from '../../actions/definitions/service.ts';
import type { Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DomainError, notFound } from '../../errors.ts';
import { announce } from '../../outbox/announcing.ts';
import { findToolOf } from '../workflow-tools/service.ts';
import { type Attempt, afterCrash, outcomeOf } from './outcomes.rules.ts';
import {
  type CallRow,
  deferCall,
  findAnsweredMessage,
  findCall,
  isUnbegun,
  lockCall,
  type Outcome,
  releaseLease,
  renewLease,
  startTry,
  storeOutcome,
  updateCall,
} from './queries.ts';

const TIMEOUT_MS = 30_000;
const RENEWAL_MS = 2_000;
const POLL_MS = 200;
/** The wait before the second try. The third try waits twice as long. */
const RETRY_MS = 400;
const MAX_REASON = 500;
/** A turn waits for a workflow's run no longer than this. Its end wakes another turn. */
const MAX_RUN_WAIT_MS = 60_000;

interface WantedCall {
  orgId: string;
  callId: string;
  /** Called before the first try, in its transaction. Locks the call's session, and throws if the call may not be made. */
  lockForEffect: (trx: Trx) => Promise<void>;
}

/** A try begun by this process. */
interface OwnTry {
  call: CallRow;
  action: StoredAction;
  isRead: boolean;
}

/**
 * Calls the action of a proposed or confirmed call, and returns the settled call. The row says `running` before
 * anything is sent, and its id is the request's Idempotency-Key. A call under way in another process is waited for. One
 * left by a crash is sent again only if it may be. Otherwise its outcome is unknown for good. A settled or unconfirmed
 * call is returned unchanged. The signal ends only waiting: a request under way is finished. A workflow's run is
 * started once, and waited for at most a minute: then the call is returned as `running`. Throws notFound, and the
 * errors of `lockForEffect`: then nothing was sent.
 */
export async function runCall(deps: CallDeps, wanted: WantedCall, signal: AbortSignal): Promise<CallRow> {
  const { orgId, callId } = wanted;
  for (;;) {
    signal.throwIfAborted();
    const begun = await beginTry(deps, wanted);
    if (begun === 'busy') {
      await sleep(POLL_MS, undefined, { signal });
      continue;
    }
    if ('run' in begun) {
      const deferred = await deferCall(deps.db, orgId, callId, MAX_RUN_WAIT_MS);
      if (deferred !== undefined) return deferred;
      await sleep(POLL_MS, undefined, { signal });
      continue;
    }
    if (!('action' in begun)) return begun;
    const outcome = await attempt(deps, orgId, begun);
    if (outcome === 'again') {
      await releaseLease(deps.db, begun.call);
      await sleep(RETRY_MS * begun.call.tries, undefined, { signal });
      continue;
    }
    await storeOutcome(deps.db, begun.call, outcome);
    const settled = await findCall(deps.db, orgId, callId);
    if (settled === undefined) throw notFound('call');
    return settled;
  }
}

/** Begins the next try in a transaction of its own. Returns the call if nothing is to be sent. */
function beginTry(
  { db }: CallDeps,
  { orgId, callId, lockForEffect }: WantedCall,
): Promise<OwnTry | { run: string } | CallRow | 'busy'> {
  return inTransaction(db, async (trx) => {
    if (await isUnbegun(trx, orgId, callId)) await lockForEffect(trx); // sessions are locked before their calls
    const call = await lockCall(trx, orgId, callId);
    if (call === undefined) throw notFound('call');
    const { is_leased, ...row } = call;
    if (row.state !== 'proposed' && row.state !== 'confirmed' && row.state !== 'running') return row;
    if (row.workflow_id !== null) return beginRun(trx, row, row.workflow_id);
    if (is_leased) return 'busy';
    const action = await findToolOf(trx, orgId, row);
    if (row.state === 'running') {
      const isRead = action !== undefined && onlyReads(action) && row.is_repeatable;
      const next = afterCrash({ isRead, isRepeatable: row.is_repeatable && action !== undefined, tries: row.tries });
      if (next !== 'again') return end(trx, row, next, 'The call was interrupted before its answer was seen');
    }
    if (action === undefined) return end(trx, row, 'failed', 'The action was deleted');
    if (row.arguments === null) return end(trx, row, row.tries > 0 ? 'unknown' : 'failed', 'The call was redacted');
    const isRead = onlyReads(action);
    const isRepeatable = row.tries > 0 ? row.is_repeatable : isRead || action.retry_safe;
    return { call: await startTry(trx, row, { isRead, isRepeatable }), action, isRead };
  });
}

/** Lets a workflow's run begin, once. It has the id of the call. */
async function beginRun(trx: Trx, call: CallRow, workflowId: string): Promise<{ run: string } | CallRow> {
  if (call.state === 'running') return { run: call.id };
  if (call.arguments === null) return end(trx, call, 'failed', 'The call was redacted');
  await startTry(trx, call, { isRead: false, isRepeatable: false });
  const payload = { call_id: call.id, workflow_id: workflowId };
  await announce(trx, call.org_id, [{ type: 'workflow-called', subject_id: call.session_id, payload }]);
  return { run: call.id };
}

const end = (trx: Trx, call: CallRow, state: 'failed' | 'unknown', reason: string) =>
  updateCall(trx, call, { state, reason, ended_at: new Date() });

/** Sends the request of a try while its lease is renewed. Returns its outcome. */
async function attempt(deps: CallDeps, orgId: string, own: OwnTry): Promise<Outcome | 'again'> {
  const renewal = setInterval(() => void renewLease(deps.db, own.call).catch(() => undefined), RENEWAL_MS);
  try {
    const sent = await send(deps, orgId, own);
    if (sent.kind === 'lost')
      return decided(own, sent, { status: null, response: null, reason: sent.message.slice(0, MAX_REASON) });
    const { status, body } = sent;
    const reason = status >= 200 && status < 300 ? null : `It answered ${status}`;
    return decided(own, sent, { status, response: JSON.stringify(body ?? null), reason });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const refused = { status: null, response: null, reason: error.message.slice(0, MAX_REASON) };
    return decided(own, { kind: 'lost', mayHaveArrived: false, isTransient: false }, refused);
  } finally {
    clearInterval(renewal);
  }
}

function decided({ call, isRead }: OwnTry, shown: Attempt, outcome: Omit<Outcome, 'state'>): Outcome | 'again' {
  const state = outcomeOf(shown, { isRead, isRepeatable: call.is_repeatable, tries: call.tries });
  return state === 'again' ? state : { state, ...outcome };
}

async function send(deps: CallDeps, orgId: string, { call, action }: OwnTry) {
  const message = await findAnsweredMessage(deps.db, orgId, call.turn_id);
  return sendAction(deps, orgId, action, {
    parameters: call.arguments ?? {},
    key: call.id,
    proposedAt: call.created_at,
    timeoutMs: TIMEOUT_MS,
    contactId: call.contact_id ?? undefined,
    messageId: message?.message_id ?? undefined,
    isPageLimitedToHeaders: call.needs !== null || action.limits !== null,
  });
}
