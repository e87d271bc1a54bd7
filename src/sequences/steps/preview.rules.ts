import type { StoredStep } from './rules.ts';

export interface ComparedStep extends StoredStep {
  action: unknown;
}

/** The number of active enrollments at each position; the beginning is null. */
export type PositionCounts = Map<string | null, number>;

export interface PreviewedStep {
  id: string | null;
  index: number | null;
  change: 'added' | 'changed' | 'moved' | 'kept' | 'removed';
  before: number;
  at: number;
  after: number;
  effect: string;
}

/** Previews an edit: each step after it in order, then the steps it removes. Both lists include deleted steps, in order. */
export function previewSteps(
  before: ComparedStep[],
  after: ComparedStep[],
  standings: PositionCounts,
): PreviewedStep[] {
  const old = new Map(before.filter((step) => !step.is_deleted).map((step) => [step.id, step]));
  const present = after.filter((step) => !step.is_deleted);
  const kept = present.filter(({ id }) => old.has(id)).map(({ id }) => id);
  const formerOrder = before.filter(({ id }) => kept.includes(id)).map(({ id }) => id);
  const listed = present.map((step, index) => {
    const former = old.get(step.id);
    const change =
      former === undefined
        ? 'added'
        : !isSameStep(former, step)
          ? 'changed'
          : kept.indexOf(step.id) !== formerOrder.indexOf(step.id)
            ? 'moved'
            : 'kept';
    const counts = countAroundStep(step.id, after, standings);
    return {
      id: former === undefined ? null : step.id,
      index,
      change,
      ...counts,
      effect: describeEffect(change, counts),
    } as const;
  });
  const removed = [...old.keys()]
    .filter((id) => !kept.includes(id))
    .map((id) => {
      const counts = countAroundStep(id, before, standings);
      return { id, index: null, change: 'removed', ...counts, effect: describeEffect('removed', counts) } as const;
    });
  return [...listed, ...removed];
}

interface Counts {
  before: number;
  at: number;
  after: number;
}

/** Counts enrollments by their position relative to a step: before it, with it as their next, or past it. */
function countAroundStep(id: string, steps: ComparedStep[], standings: PositionCounts): Counts {
  const index = steps.findIndex((step) => step.id === id);
  const counts = { before: 0, at: 0, after: 0 };
  for (const [standing, count] of standings) {
    const stands = standing === null ? -1 : steps.findIndex((step) => step.id === standing);
    if (stands >= index) counts.after += count;
    else {
      counts.before += count;
      const isNext = steps.slice(stands + 1, index).every((step) => step.is_deleted);
      if (isNext) counts.at += count;
    }
  }
  return counts;
}

const isSameStep = (one: ComparedStep, other: ComparedStep) =>
  one.delay_in_minutes === other.delay_in_minutes && canonicalJson(one.action) === canonicalJson(other.action);

/** Returns JSON with the keys of each object sorted, as Postgres returns them in an order of its own. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part !== 'object' || part === null || Array.isArray(part)
      ? part
      : Object.fromEntries(Object.entries(part).sort()),
  );

function describeEffect(change: PreviewedStep['change'], { before, at, after }: Counts): string {
  switch (change) {
    case 'added':
      return `${before} will get it, ${at} of them next; ${after} have passed its place and will not`;
    case 'changed':
      return `${before} will get it as changed, ${at} of them next; ${after} passed it before the change`;
    case 'moved':
      return `${before} will get it at its new place, ${at} of them next, unless they got it before; ${after} have passed that place`;
    case 'kept':
      return `${before} will get it, ${at} of them next; ${after} passed it`;
    case 'removed':
      return `${before} will not get it any more, and ${at} of them continue with the next step; ${after} passed it`;
  }
}
