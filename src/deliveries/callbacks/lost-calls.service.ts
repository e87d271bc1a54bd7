import { forEachConcurrently } from '../../concurrency/limited.ts';
import type { Db } from '../../db/connect.ts';
import { ProviderError } from '../../errors.ts';
import type { CallbackContent } from '../../providers/sending.ts';
import { type CallToCheck, claimCallsToCheck } from '../inbound/calls-under-way.shared.queries.ts';
import type { CallLookup } from './call-lookup.ts';
import { receiveCallback } from './service.ts';

const CALLS_PER_BATCH = 20;
const CALLS_AT_ONCE = 4;

export interface LostCallDeps {
  db: Db;
  callLookup: CallLookup;
}

/**
 * Ends calls whose report has not come, as the voice platform says when it is asked. One that it knows nothing of ends a day
 * after its begin. Returns the number of calls that were looked at. Running it twice ends a call once.
 */
export async function endLostCalls(deps: LostCallDeps): Promise<number> {
  const calls = await claimCallsToCheck(deps.db, CALLS_PER_BATCH);
  await forEachConcurrently(calls, CALLS_AT_ONCE, async (call) => {
    const content = await endOf(deps, call);
    if (content !== undefined) await receiveCallback(deps.db, call.orgId, 'vapi', { channel: 'voice', ...content });
  });
  return calls.length;
}

async function endOf({ callLookup }: LostCallDeps, call: CallToCheck): Promise<CallbackContent | undefined> {
  const { orgId, providerId, isOld } = call;
  const found = await unlessFailed(callLookup.find(orgId, providerId));
  if (typeof found === 'object') return found;
  return isOld ? { ...callLookup.reportOfLost(providerId), reports: [] } : undefined;
}

/** The platform is asked again later. */
const unlessFailed = <Found>(request: Promise<Found>): Promise<Found | undefined> =>
  request.catch((error: unknown) => {
    if (error instanceof ProviderError) return undefined;
    throw error;
  });
