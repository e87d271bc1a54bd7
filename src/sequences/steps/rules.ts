/** A step as stored. Deleted steps stay, so that enrollments past them keep their position. */
export interface StoredStep {
  id: string;
  is_deleted: boolean;
  delay_in_minutes: number;
}

/** The step following a position in a sequence. `after` null is the beginning; `next` null is the end. */
export interface StepTransition<Step extends StoredStep> {
  after: string | null;
  next: Step | null;
}

/** Returns the next step for each possible position of an enrollment. Steps are given in order. */
export function transitionsOf<Step extends StoredStep>(steps: Step[]): StepTransition<Step>[] {
  let next: Step | null = null;
  const moves: StepTransition<Step>[] = [];
  for (const step of steps.toReversed()) {
    moves.unshift({ after: step.id, next });
    if (!step.is_deleted) next = step;
  }
  return [{ after: null, next }, ...moves];
}

/**
 * Returns the order of all steps after an edit. Steps no longer listed stay behind the step they used to follow:
 * enrollments at such a step continue with the first listed step after it.
 */
export function orderAfterEdit(stored: string[], listed: string[]): string[] {
  const isListed = new Set(listed);
  const followers = new Map<string | null, string[]>();
  let kept: string | null = null;
  for (const id of stored) {
    if (isListed.has(id)) kept = id;
    else followers.set(kept, [...(followers.get(kept) ?? []), id]);
  }
  return [...(followers.get(null) ?? []), ...listed.flatMap((id) => [id, ...(followers.get(id) ?? [])])];
}
