import type { PartState } from './table.ts';

export interface PartStatus {
  part: string;
  state: PartState;
}

/** The contact is only a help: a handoff is whole without it. */
const OPTIONAL = new Set(['contact']);
const CREATED = new Set<PartState>(['done', 'settled']);
const FINISHED = new Set<PartState>(['done', 'settled', 'skipped']);

/** How far the other system has a handoff. */
export function handoffStateOf(parts: PartStatus[]): 'pending' | 'partial' | 'done' {
  const required = parts.filter(({ part }) => !OPTIONAL.has(part));
  if (required.every(({ state }) => FINISHED.has(state))) return 'done';
  return parts.some(({ state }) => CREATED.has(state)) ? 'partial' : 'pending';
}

export const isOptionalPart = (part: string): boolean => OPTIONAL.has(part);
