import { Context } from '@temporalio/activity';
import type { TaggingInput, TaggingResult } from '../src/ai/tagging/contract.ts';
import type { TagLearner } from '../src/ai/tagging/learner.ts';
import { learnTagsOf } from '../src/ai/tagging/learning.service.ts';
import type { Db } from '../src/db/connect.ts';

export interface TaggingActivityDeps {
  db: Db;
  tagLearner: TagLearner;
}

export type TaggingActivities = ReturnType<typeof createTaggingActivities>;

export const createTaggingActivities = ({ db, tagLearner }: TaggingActivityDeps) => ({
  /** Learns an org's tags. Repeated, it learns the same and stores it again. */
  learnTags: ({ orgId }: TaggingInput): Promise<TaggingResult> =>
    learnTagsOf(db, tagLearner, orgId, Context.current().cancellationSignal),
});
