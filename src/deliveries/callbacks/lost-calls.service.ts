import { forEachConcurrently } from '../../concurrency/limited.ts';
import type { Db } from '../../db/connect.ts';
import { ProviderError } from '../../errors.ts';
import { findConnection } from '../../orgs/integrations/service.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import type { CallbackContent } from '../../providers/sending.ts';
import { findEndOfCall, reportOfLostCall } from '../../providers/vapi/call-lookup.ts';
import type { Secrets } from '../../secrets.ts';
import { type CallToCheck, claimCallsToCheck } from '../inbound/calls-under-way.shared.queries.ts';
import { receiveCallback } from './service.ts';

const CALLS_PER_BATCH = 20;
const CALLS_AT_ONCE = 4;

export interface LostCallDeps {
  db: Db;
  secrets: Secrets;
  egress: HttpClient;
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

async function endOf({ db, secrets, egress }: LostCallDeps, call: CallToCheck): Promise<CallbackContent | undefined> {
  const { orgId, providerId, isOld } = call;
  const settings = await findConnection(db, secrets, orgId, 'voice');
  const found = settings && (await unlessFailed(findEndOfCall(egress, settings, providerId)));
  if (typeof found === 'object') return found;
  return isOld ? { ...reportOfLostCall(providerId), reports: [] } : undefined;
}

/** The platform is asked again later. */
const unlessFailed = <Found>(request: Promise<Found>): Promise<Found | undefined> =>
  request.catch((error: unknown) => {
    if (error instanceof ProviderError) return undefined;
    throw error;
  });
