import { LRUCache } from 'lru-cache';
import { addTagsByAi, getContactTexts } from '../conversations/sessions/tagging.service.ts';
import type { Trx } from '../db/connect.ts';
import { isAutoTaggingOn, listTagsWithKeys } from '../desk/tags/service.ts';
import { decideTags } from './decisions.rules.ts';
import type { LearntTag } from './learning.rules.ts';
import { decodeModel, scoreTexts, type TagModel } from './model.rules.ts';
import { findModel, findModelTime, replaceSuggestions } from './queries.ts';

const MAX_CACHED_BYTES = 64_000_000;

interface LearntModel {
  tags: LearntTag[];
  model: TagModel;
  bytes: number;
}

/** Applies tags to the sessions of events. It changes nothing the second time. */
export type ApplyTags = (trx: Trx, orgId: string, events: readonly { subject_id: string }[]) => Promise<void>;

/** Creates the reaction that applies and suggests tags by what an org's sessions have taught. Models are cached. */
export function createAutoTagging(): ApplyTags {
  const models = new LRUCache<string, LearntModel>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  });
  const keyOf = (orgId: string, learntAt: Date) => `${orgId} ${learntAt.toISOString()}`;

  const loadModel = async (trx: Trx, orgId: string): Promise<LearntModel | undefined> => {
    const learntAt = await findModelTime(trx, orgId);
    if (learntAt === undefined) return undefined;
    const cached = models.get(keyOf(orgId, learntAt));
    if (cached !== undefined) return cached;
    const model = await findModel(trx, orgId);
    if (model === undefined) return undefined;
    const loaded = { tags: model.tags, model: decodeModel(model.model), bytes: model.model.length };
    models.set(keyOf(orgId, model.learnt_at), loaded);
    return loaded;
  };

  return async (trx, orgId, events) => {
    if (!(await isAutoTaggingOn(trx, orgId))) return;
    const learnt = await loadModel(trx, orgId);
    if (learnt === undefined) return;
    const allowed = (await listTagsWithKeys(trx, orgId)).filter((tag) => !tag.exclude_from_auto_tagging);
    const keys = new Set(allowed.map(({ tag_key }) => tag_key));
    const sessions = await getContactTexts(trx, orgId, [...new Set(events.map(({ subject_id }) => subject_id))]);
    const scores = scoreTexts(
      learnt.model,
      sessions.map(({ text }) => text),
    );
    const decisions = sessions.map(({ id }, nth) => ({ id, ...decideTags(learnt.tags, scores[nth] ?? [], keys) }));
    await addTagsByAi(
      trx,
      orgId,
      decisions.map(({ id, applied }) => ({ id, tags: applied })),
    );
    const suggestions = decisions.flatMap(({ id, suggested }) => suggested.map((one) => ({ session_id: id, ...one })));
    await replaceSuggestions(
      trx,
      orgId,
      decisions.map(({ id }) => id),
      suggestions,
    );
  };
}
