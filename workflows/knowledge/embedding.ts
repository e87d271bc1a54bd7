import { continueAsNew, defineSignal, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { KnowledgeActivities } from '../../activities/knowledge.ts';
import type { EmbeddingInput } from '../../src/knowledge/embedding/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { AI_CALL } from '../activity-options.ts';

const BATCHES_PER_RUN = 200;

const wake = defineSignal(WAKE);
const { embedChunks } = proxyActivities<KnowledgeActivities>({
  ...AI_CALL,
  summary: 'embed chunks that have no vector',
});

/** Creates the missing vectors of an org's chunks, and starts over if a signal announced new chunks meanwhile. */
export async function embedKnowledge(input: EmbeddingInput): Promise<void> {
  let isWoken = false;
  setHandler(wake, () => {
    isWoken = true;
  });
  let after: number | null = 0;
  for (let batches = 1; ; batches++) {
    if (after === 0) isWoken = false;
    ({ after } = await embedChunks({ ...input, after }));
    if (after === null && !isWoken) return;
    after ??= 0;
    if (batches >= BATCHES_PER_RUN || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof embedKnowledge>(input);
    }
  }
}
