import type { PartState } from './table.ts';

/** The systems that sessions are handed off to. */
export type TicketingTarget = 'crm' | 'miaw';

/** Returns the system that a part is created in. */
export const systemOf = (part: string): TicketingTarget => (part === 'conversation' ? 'miaw' : 'crm');

export interface PartStatus {
  part: string;
  state: PartState;
}

/** The contact is only a convenience: a handoff is complete without it. */
const OPTIONAL = new Set(['contact']);
const CREATED = new Set<PartState>(['done', 'settled']);
const FINISHED = new Set<PartState>(['done', 'settled', 'skipped']);

/** Returns the progress of a handoff in the other system. */
export function handoffStateOf(parts: PartStatus[]): 'pending' | 'partial' | 'done' {
  const required = parts.filter(({ part }) => !OPTIONAL.has(part));
  if (required.every(({ state }) => FINISHED.has(state))) return 'done';
  return parts.some(({ state }) => CREATED.has(state)) ? 'partial' : 'pending';
}

export const isOptionalPart = (part: string): boolean => OPTIONAL.has(part);
