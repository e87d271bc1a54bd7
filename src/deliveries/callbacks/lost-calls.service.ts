import { forEachConcurrently } from '../../concurrency/limited.ts';
import type { Db } from '../../db/connect.ts';
import { ProviderError } from '../../errors.ts';
import type { CallbackContent } from '../../providers/sending.ts';
import { type CallToCheck, claimCallsToCheck, deleteCallUnderWay } from '../inbound/calls/shared.queries.ts';
import type { CallLookup } from './call-lookup.ts';
import { receiveCallback } from './service.ts';

const CALLS_PER_BATCH = 20;
const CALLS_AT_ONCE = 4;
/** Longer than a call takes: its report does not come if the platform does not know it. */
const PATIENCE_HOURS = 24;
/** After so long without an end by the platform, it ends as lost. */
const MAX_HOURS = 7 * 24;
/** A call whose end still cannot be stored is not asked for again. */
const ABANDONED_HOURS = 14 * 24;

export interface LostCallDeps {
  db: Db;
  callLookup: CallLookup;
  log: { warn(fields: object, message: string): void };
}

/**
 * Ends calls whose report has not come, as the voice platform says when it is asked. One that it does not know ends a day
 * after its begin, and one whose end it does not tell after a week. Returns the number of calls that were looked at. A
 * failure at one leaves the others alone. Running it twice ends a call once.
 */
export async function endLostCalls(deps: LostCallDeps): Promise<number> {
  const calls = await claimCallsToCheck(deps.db, CALLS_PER_BATCH);
  await forEachConcurrently(calls, CALLS_AT_ONCE, (call) =>
    endIfOver(deps, call).catch((error: unknown) => giveUpIfOld(deps, call, error)),
  );
  return calls.length;
}

/** A call may be none of ours any more, as after the erasure of its contact: then there is nothing to end. */
async function endIfOver(deps: LostCallDeps, call: CallToCheck): Promise<void> {
  const content = await endOf(deps, call);
  if (content === undefined) return;
  await receiveCallback(deps.db, call.orgId, 'vapi', { channel: 'voice', ...content });
  await deleteCallUnderWay(deps.db, call.orgId, call.id);
}

async function giveUpIfOld(
  { db, log }: LostCallDeps,
  { orgId, id, hours }: CallToCheck,
  error: unknown,
): Promise<void> {
  const isAbandoned = hours > ABANDONED_HOURS;
  const outcome = isAbandoned ? 'it is left as it is' : 'retrying later';
  log.warn({ err: error, orgId, id }, `a phone call could not be ended; ${outcome}`);
  if (isAbandoned) await deleteCallUnderWay(db, orgId, id);
}

async function endOf({ callLookup, log }: LostCallDeps, call: CallToCheck): Promise<CallbackContent | undefined> {
  const { orgId, id, providerId, hours } = call;
  const found = await callLookup.find(orgId, providerId).catch((error: unknown) => {
    if (!(error instanceof ProviderError))
      log.warn({ err: error, orgId, id }, 'a phone call could not be asked for; retrying later');
    return 'failed' as const;
  });
  if (typeof found === 'object') return found;
  const patience = found === undefined ? PATIENCE_HOURS : MAX_HOURS;
  return hours > patience ? { ...callLookup.reportOfLost(providerId), reports: [] } : undefined;
}
