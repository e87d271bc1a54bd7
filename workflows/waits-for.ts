import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { TITLE, WAITS_FOR } from '../src/temporal/search-attributes.ts';

export type WaitReason = 'provider' | 'person' | 'timer' | 'event' | 'gate' | 'quiet hours';

/** Reasons that are cleared where the wait ends.  */
const CLEARED = new Set<string>(['gate', 'quiet hours'] satisfies WaitReason[]);

/**
 * Shows in the list of the Temporal UI what a workflow waits for from now on. Only a workflow that began with a title has
 * it, whatever its history: an older one replays without this command, and a namespace without the attributes would refuse
 * it.
 */
export function setWaitsFor(reason: WaitReason): void {
  const { typedSearchAttributes: attributes } = workflowInfo();
  if (attributes.get(TITLE) === undefined || attributes.get(WAITS_FOR) === reason) return;
  upsertSearchAttributes([{ key: WAITS_FOR, value: reason }]);
}

/** Shows that the wait for a gate or quiet hours is over. Other reasons stay until the next wait. */
export function clearWaitsFor(): void {
  const reason = workflowInfo().typedSearchAttributes.get(WAITS_FOR);
  if (reason !== undefined && CLEARED.has(reason)) upsertSearchAttributes([{ key: WAITS_FOR, value: null }]);
}
