import { Context } from '@temporalio/activity';
import type { Db } from '../../src/db/connect.ts';
import type { EvalProgress, EvalRunRef } from '../../src/evals/contract.ts';
import { runNextCases } from '../../src/evals/running.service.ts';
import { abandonRun } from '../../src/evals/runs.service.ts';
import type { SemanticSearch } from '../../src/knowledge/search/passage-search.service.ts';
import type { ConnectionCalls } from '../../src/orgs/integrations/calls.service.ts';
import type { HttpClient } from '../../src/providers/egress/egress.ts';
import type { Secrets } from '../../src/secrets.ts';
import { findChatContext } from '../../src/widget/visitors.service.ts';

export interface EvalActivityDeps {
  db: Db;
  egress: HttpClient;
  calls: ConnectionCalls;
  secrets: Secrets;
  semantics: SemanticSearch;
}

export type EvalActivities = ReturnType<typeof createEvalActivities>;

export function createEvalActivities({ db, egress, calls, secrets, semantics }: EvalActivityDeps) {
  const deps = { db, egress, calls, secrets, semantics, chatContextOf: findChatContext };
  return {
    /** Runs the next cases of a run. Repeated, it runs only those without a result. */
    runNextCases: (ref: EvalRunRef): Promise<EvalProgress> =>
      runNextCases(deps, ref, Context.current().cancellationSignal),

    /** Records that a run was canceled in Temporal. Repeated, it does nothing. */
    abandonEvalRun: ({ orgId, runId }: EvalRunRef): Promise<void> => abandonRun(db, orgId, runId),
  };
}
