import type { LearntTag } from './learning.rules.ts';

/** The most tags that are suggested for a session at once, by a classifier or by a model. */
export const MAX_SUGGESTIONS = 3;

/** What the scores of a session say. Tags are keys. */
export interface TagDecision {
  applied: string[];
  /** The surest first. */
  suggested: { tag_key: string; score: number }[];
}

/** Returns the tags to apply to a session, and some to suggest. Tags that are not `allowed` are neither. */
export function decideTags(
  tags: readonly LearntTag[],
  scores: readonly number[],
  allowed: ReadonlySet<string>,
): TagDecision {
  const scored = tags.flatMap(({ tag_key, threshold, suggest_threshold }, nth) => {
    const score = scores[nth];
    return score === undefined || !allowed.has(tag_key) ? [] : [{ tag_key, threshold, suggest_threshold, score }];
  });
  const reaches = (score: number, threshold: number | null) => threshold !== null && score >= threshold;
  const applied = scored.filter(({ score, threshold }) => reaches(score, threshold));
  const suggested = scored
    .filter((one) => !applied.includes(one) && reaches(one.score, one.suggest_threshold))
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_SUGGESTIONS);
  return {
    applied: applied.map(({ tag_key }) => tag_key),
    suggested: suggested.map(({ tag_key, score }) => ({ tag_key, score })),
  };
}
