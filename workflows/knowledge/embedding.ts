import {
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { KnowledgeActivities } from '../../activities/knowledge.ts';
import type { EmbeddingInput } from '../../src/knowledge/embedding/contract.ts';
import { EMBEDDING, WAKE } from '../../src/temporal/contract.ts';
import { AI_CALL, MANY_TEXTS } from '../activity-options.ts';

const BATCHES_PER_RUN = 200;

const wake = defineSignal(WAKE);
const { embedChunks } = proxyActivities<KnowledgeActivities>({
  ...AI_CALL,
  ...MANY_TEXTS,
  taskQueue: EMBEDDING,
  summary: 'compute missing embeddings',
});

/** Creates the missing vectors of an org's chunks, and starts over if a signal announced new chunks meanwhile. */
export async function embedKnowledge(input: EmbeddingInput): Promise<void> {
  let isWoken = false;
  setHandler(wake, () => {
    isWoken = true;
  });
  const { orgId } = input;
  let { after = 0, size } = input;
  let leftOut = 0;
  for (let batches = 1; ; batches++) {
    if (after === 0) isWoken = false;
    const progress = await embedChunks({ orgId, after, size });
    size = progress.size ?? size;
    leftOut += progress.leftOut?.length ?? 0;
    const reason = progress.leftOut?.at(-1)?.reason;
    if (reason !== undefined)
      setCurrentDetails(`${leftOut} passages without an embedding are found by words only: ${reason}`);
    if (progress.after === null && !isWoken) return;
    after = progress.after ?? 0;
    if (batches >= BATCHES_PER_RUN || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof embedKnowledge>({ orgId, after: isWoken ? 0 : after, size });
    }
  }
}
