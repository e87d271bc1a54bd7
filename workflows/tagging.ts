import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { TaggingActivities } from '../activities/tagging.ts';
import type { TaggingInput } from '../src/ai/tagging/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { LEARNING } from './activity-options.ts';
import { untilUnchanged } from './signals.ts';

const activities = proxyActivities<TaggingActivities>({ ...LEARNING, summary: 'learn from tagged sessions' });

/** Learns an org's tags, and again if that was requested meanwhile. */
export async function learnTags(input: TaggingInput): Promise<void> {
  await untilUnchanged(WAKE, async () => {
    const { sessions, applied } = await activities.learnTags(input);
    setCurrentDetails(`${sessions} sessions; ${applied} tags are applied`);
  });
}
