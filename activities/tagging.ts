import { Context } from '@temporalio/activity';
import type { Db } from '../src/db/connect.ts';
import type { ConnectionCalls } from '../src/orgs/integrations/calls.service.ts';
import type { HttpClient } from '../src/providers/egress/egress.ts';
import type { Secrets } from '../src/secrets.ts';
import type { SuggestionInput, TaggingInput, TaggingResult } from '../src/tagging/contract.ts';
import type { TagLearner } from '../src/tagging/learner.ts';
import { learnTagsOf } from '../src/tagging/learning.service.ts';
import { suggestTags } from '../src/tagging/model-suggestions.service.ts';

export interface TaggingActivityDeps {
  db: Db;
  tagLearner: TagLearner;
  egress: HttpClient;
  calls: ConnectionCalls;
  secrets: Secrets;
}

export type TaggingActivities = ReturnType<typeof createTaggingActivities>;

export const createTaggingActivities = ({ db, tagLearner, egress, calls, secrets }: TaggingActivityDeps) => ({
  /** Learns an org's tags. Repeated, it learns the same and stores it again. */
  learnTags: ({ orgId }: TaggingInput): Promise<TaggingResult> =>
    learnTagsOf(db, tagLearner, orgId, Context.current().cancellationSignal),

  /** Asks the org's model for tags of a session. Repeated, it replaces its suggestions. Returns their number. */
  suggestTags: (input: SuggestionInput): Promise<number> =>
    suggestTags({ db, egress, calls, secrets }, input, Context.current().cancellationSignal),
});
