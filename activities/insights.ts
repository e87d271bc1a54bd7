import { Context, log } from '@temporalio/activity';
import type { Db } from '../src/db/connect.ts';
import { repeatForSeconds } from '../src/db/deletion.ts';
import type { Embedder } from '../src/embedder/embedder.ts';
import { createCentroidCache } from '../src/insights/assignment/centroid-cache.ts';
import { alignInsights, type EmbeddingDeps, embedStatements } from '../src/insights/assignment/embedding.service.ts';
import { findStatementModel } from '../src/insights/assignment/models.ts';
import { createRefusalMemory } from '../src/insights/assignment/refusal-memory.ts';
import { type AssignmentResult, assignStatements } from '../src/insights/assignment/service.ts';
import type { ExtractionInput, ExtractionResult } from '../src/insights/extraction/contract.ts';
import { finishExtraction } from '../src/insights/extraction/requests.service.ts';
import { extractStatements } from '../src/insights/extraction/service.ts';
import { nameInsights } from '../src/insights/naming/service.ts';
import type { ReviewInput, ReviewResult } from '../src/insights/review/contract.ts';
import { reviewInsights } from '../src/insights/review/service.ts';
import type { ConnectedModel } from '../src/knowledge/embedding/models.ts';
import type { ConnectionCalls } from '../src/orgs/integrations/calls.service.ts';
import type { HttpClient } from '../src/providers/egress/egress.ts';
import { embedTexts } from '../src/providers/llm/embeddings.ts';
import type { Secrets } from '../src/secrets.ts';
import type { TagLearner } from '../src/tagging/learner.ts';

const TIMEOUT_MS = 60_000;
/** With the intervals between them, a provider that is down gets a quarter of an hour to come back. */
const TRIES_OF_A_MODEL = 8;

export interface InsightActivityDeps {
  db: Db;
  egress: HttpClient;
  calls: ConnectionCalls;
  secrets: Secrets;
  embedder: Embedder;
  tagLearner: TagLearner;
}

export type InsightActivities = ReturnType<typeof createInsightActivities>;

export const createInsightActivities = (deps: InsightActivityDeps) => {
  const { db, egress, calls, secrets, embedder } = deps;
  const cache = createCentroidCache();
  const refusals = createRefusalMemory();
  const embeddingDepsOf = (orgId: string): EmbeddingDeps => {
    const context = Context.current();
    const { cancellationSignal: signal, info } = context;
    const embed = async (model: ConnectedModel, texts: string[]) => {
      signal.throwIfAborted();
      const client = calls.observe(egress, { orgId, kind: 'llm', settings: model });
      return embedTexts(client, model, texts, { inputType: 'query', timeoutMs: TIMEOUT_MS });
    };
    return {
      ...{ db, attempt: info.attempt },
      findModel: (id) => findStatementModel({ db, secrets, embedder, refusals, embed, signal }, id),
      pause: (ms) => context.sleep(ms),
      onLeftOut: (statementId) => log.warn('a statement got no vector, and is like no other', { orgId, statementId }),
    };
  };
  return {
    /** Stores what the customer said. Repeated, it returns what is stored. */
    extractStatements: async (input: ExtractionInput): Promise<ExtractionResult> => {
      const { cancellationSignal: signal, info } = Context.current();
      const extracted = await extractStatements(deps, input, { signal, isLastTry: info.attempt >= TRIES_OF_A_MODEL });
      if (extracted.statements === 0) await finishExtraction(db, input);
      return extracted;
    },
    /** Makes the vectors of the session's new statements. Those that have one are skipped. */
    embedStatements: ({ orgId, sessionId }: ExtractionInput): Promise<void> =>
      embedStatements(embeddingDepsOf(orgId), orgId, sessionId),
    /** Makes centroids of the present model for some insights. Returns whether none is left. Repeated, it goes on. */
    alignInsights: ({ orgId }: ExtractionInput): Promise<boolean> => {
      const { cancellationSignal } = Context.current();
      const embeddingDeps = embeddingDepsOf(orgId);
      return repeatForSeconds(
        () => cancellationSignal.aborted,
        () => alignInsights(embeddingDeps, orgId),
      );
    },
    /** Assigns the session's new statements to insights. Repeated, it finds nothing left. */
    assignStatements: ({ orgId, sessionId }: ExtractionInput): Promise<AssignmentResult> =>
      assignStatements(db, cache, orgId, sessionId),
    /** Gives categories and proposes merges. Repeated, it does the same. */
    reviewInsights: ({ orgId }: ReviewInput): Promise<ReviewResult> =>
      reviewInsights(db, deps.tagLearner, orgId, Context.current().cancellationSignal),
    /** Names insights of the session that have grown, and returns their number: the end of it. Idempotent: a second run finds none. */
    nameInsights: async (input: ExtractionInput): Promise<number> => {
      const named = await nameInsights(deps, input, Context.current().cancellationSignal);
      await finishExtraction(db, input);
      return named;
    },
  };
};
