import { Context } from '@temporalio/activity';
import type { SummaryRef, SummaryResult } from '../../src/ai/summaries/contract.ts';
import { summarizeSession } from '../../src/ai/summaries/service.ts';
import type { Db } from '../../src/db/connect.ts';
import type { ConnectionCalls } from '../../src/orgs/integrations/calls.service.ts';
import type { HttpClient } from '../../src/providers/egress/egress.ts';
import type { Secrets } from '../../src/secrets.ts';

export interface SummaryActivityDeps {
  db: Db;
  egress: HttpClient;
  calls: ConnectionCalls;
  secrets: Secrets;
}

export type SummaryActivities = ReturnType<typeof createSummaryActivities>;

export const createSummaryActivities = ({ db, egress, calls, secrets }: SummaryActivityDeps) => ({
  /** Asks the org's model for a summary. Repeated, it asks again only if nothing was stored. */
  summarizeSession: (ref: SummaryRef): Promise<SummaryResult> =>
    summarizeSession({ db, egress, calls, secrets }, ref, Context.current().cancellationSignal),
});
