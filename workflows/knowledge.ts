import { continueAsNew, defineSignal, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { KnowledgeActivities } from '../activities/knowledge.ts';
import type { EmbeddingInput } from '../src/knowledge/index/embedding.contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { ASK_MODEL } from './activity-options.ts';

const BATCHES_A_RUN = 200;

const embedMore = defineSignal(WAKE);
const { embedChunks } = proxyActivities<KnowledgeActivities>({
  ...ASK_MODEL,
  summary: 'embed chunks that have no vector',
});

/** Has the vectors made of all chunks that have none, and begins again where more came meanwhile. */
export async function embedKnowledge(input: EmbeddingInput): Promise<void> {
  let isWoken = false;
  setHandler(embedMore, () => {
    isWoken = true;
  });
  let after: number | null = 0;
  for (let batches = 1; ; batches++) {
    if (after === 0) isWoken = false;
    ({ after } = await embedChunks({ ...input, after }));
    if (after === null && !isWoken) return;
    after ??= 0;
    if (batches >= BATCHES_A_RUN || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof embedKnowledge>(input);
    }
  }
}
