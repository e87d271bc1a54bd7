import { wordsOf } from '../../recognition/folding.rules.ts';

/** The number of actions offered besides the pinned ones. */
const MAX_NEAREST = 20;
/** The end of the conversation shows its subject. */
const MAX_CHARACTERS = 4_000;
const MAX_DESCRIPTION = 2_000;
/** Words with the same beginning count as forms of one word. */
const STEM_LENGTH = 5;

export interface DescribedAction {
  id: string;
  name: string;
  description: string | null;
  operation_id: string;
  tags: string[];
  pinned: boolean;
}

/**
 * Returns the ids of the actions to offer: all pinned ones, and the 20 others with most of a conversation's words in
 * their names, tags and descriptions. A word counts the more, the fewer actions have it.
 */
export function selectActions(actions: DescribedAction[], conversation: string): string[] {
  const others = actions.filter(({ pinned }) => !pinned).map((action) => ({ action, weights: weightsOf(action) }));
  const counts = new Map<string, number>();
  for (const { weights } of others) for (const stem of weights.keys()) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const asked = stemsOf(conversation.slice(-MAX_CHARACTERS));
  const scored = others.map(({ action, weights }) => ({
    id: action.id,
    score: [...asked].reduce(
      (sum, stem) => sum + (weights.get(stem) ?? 0) * Math.log(1 + others.length / (counts.get(stem) ?? 1)),
      0,
    ),
  }));
  const nearest = scored.toSorted((one, other) => other.score - one.score).slice(0, MAX_NEAREST);
  return [...actions.filter(({ pinned }) => pinned), ...nearest].map(({ id }) => id);
}

/** Returns the words of an action, each with its weight: those of names count most. */
function weightsOf({ name, description, operation_id, tags }: DescribedAction): Map<string, number> {
  const fields: [string, number][] = [
    [(description ?? '').slice(0, MAX_DESCRIPTION), 1],
    [tags.join(' '), 2],
    [`${name} ${operation_id.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_./:-]/g, ' ')}`, 3],
  ];
  return new Map(fields.flatMap(([text, weight]) => [...stemsOf(text)].map((stem) => [stem, weight] as const)));
}

const stemsOf = (text: string): Set<string> => new Set(wordsOf(text).map((word) => word.slice(0, STEM_LENGTH)));
