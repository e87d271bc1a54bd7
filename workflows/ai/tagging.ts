import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { TaggingActivities } from '../../activities/tagging.ts';
import type { SuggestionInput, TaggingInput } from '../../src/tagging/contract.ts';
import { WAKE } from '../../src/temporal/contract.ts';
import { LEARNING, TAG_SUGGESTIONS } from '../activity-options.ts';
import { untilUnchanged } from '../signals.ts';

const activities = proxyActivities<TaggingActivities>({ ...LEARNING, summary: 'learn from tagged sessions' });

const { suggestTags: askForTags } = proxyActivities<TaggingActivities>({
  ...TAG_SUGGESTIONS,
  summary: 'ask the model which tags fit',
});

/** Learns an org's tags, and again if that was requested meanwhile. */
export async function learnTags(input: TaggingInput): Promise<void> {
  await untilUnchanged(WAKE, async () => {
    const { sessions, applied } = await activities.learnTags(input);
    setCurrentDetails(`learned from ${sessions} sessions; ${applied} tags are precise enough to apply`);
  });
}

/** Asks the org's model which tags fit a session, and again if that was requested meanwhile. */
export async function suggestTags(input: SuggestionInput): Promise<void> {
  await untilUnchanged(WAKE, async () => {
    setCurrentDetails(`${await askForTags(input)} tags suggested`);
  });
}
