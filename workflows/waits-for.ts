import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { TITLE, WAITS_FOR } from '../src/temporal/search-attributes.ts';

/**
 * Shows in the list of the Temporal UI what a workflow waits for from now on. It keeps its last value while it works.
 * Only a workflow that began with a title has it, whatever its history: an older one replays without this command, and
 * a namespace without the attributes would refuse it.
 */
export function setWaitsFor(reason: 'provider' | 'person' | 'timer' | 'event'): void {
  const { typedSearchAttributes: attributes } = workflowInfo();
  if (attributes.get(TITLE) === undefined || attributes.get(WAITS_FOR) === reason) return;
  upsertSearchAttributes([{ key: WAITS_FOR, value: reason }]);
}
