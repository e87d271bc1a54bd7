import type { PartState } from './table.ts';

export interface PartStanding {
  part: string;
  state: PartState;
}

/** The contact is only a help: a handoff is whole without it. */
const OPTIONAL = new Set(['contact']);
const HAD = new Set<PartState>(['done', 'settled']);
const OVER = new Set<PartState>(['done', 'settled', 'skipped']);

/** How far the other system has a handoff. */
export function standingOf(parts: PartStanding[]): 'pending' | 'partial' | 'done' {
  const required = parts.filter(({ part }) => !OPTIONAL.has(part));
  if (required.every(({ state }) => OVER.has(state))) return 'done';
  return parts.some(({ state }) => HAD.has(state)) ? 'partial' : 'pending';
}

export const isOptional = (part: string): boolean => OPTIONAL.has(part);
