import { workflowIdOfRun } from '../contract.ts';
import type { BatchContent, BatchEnd, BatchInput, WorkflowOfBatch } from './contract.ts';

/** A batch may have runs of hundreds of workflows. Its history stores the names of so many. */
const MAX_WORKFLOWS = 20;
const MAX_NAME = 100;

/** A run of a batch, with the name of its workflow. */
export interface NamedRun {
  id: string;
  workflowId: string;
  name: string;
}

/** Returns what the details of a batch show of its runs. */
export function contentOfBatch(runs: readonly [NamedRun, ...NamedRun[]]): BatchContent {
  const workflows = new Map<string, WorkflowOfBatch>();
  for (const { workflowId: id, name } of runs) {
    const known = workflows.get(id);
    if (known !== undefined) known.runs++;
    else workflows.set(id, { id, name: name.slice(0, MAX_NAME).toWellFormed(), runs: 1 });
  }
  const [{ id: one }] = runs;
  const ids = runs.map(({ id }) => id).toSorted();
  const byCount = [...workflows.values()].toSorted((a, b) => b.runs - a.runs);
  return {
    first: ids[0] ?? one,
    last: ids.at(-1) ?? one,
    workflows: byCount.slice(0, MAX_WORKFLOWS),
    others: Math.max(0, byCount.length - MAX_WORKFLOWS),
  };
}

/** Returns the line for a batch in a list of workflows. */
export function summaryOfBatch(runs: number, { workflows, others }: BatchContent): string {
  const [workflow] = workflows;
  const count = workflows.length + others;
  return workflow !== undefined && count === 1
    ? `${runs} runs of ${workflow.name}`
    : `${runs} runs of ${count} workflows`;
}

/** Returns the details of a batch: its org, its runs and their workflows, and at its end their results. */
export const detailsOfBatch = (batch: BatchInput, end?: BatchEnd): string =>
  [runsOf(batch), ...workflowsOf(batch.content), ...(end === undefined ? [] : resultsOf(end))].join('\n\n');

const runsOf = ({ orgId, runs, content }: BatchInput): string =>
  `${runs} runs of the org ${orgId}, from ${content.first} to ${content.last}`;

function workflowsOf(content: BatchContent): string[] {
  const named = content.workflows.map(({ id, name, runs }) => `${name} (${id}): ${runs} runs`);
  return [...named, ...(content.others > 0 ? [`and ${content.others} more workflows`] : [])];
}

function resultsOf({ ended, failed, left, queued }: BatchEnd): string[] {
  const counts = `${ended} have ended, ${left} continue in separate workflows, ${queued} wait for another batch`;
  if (failed.length === 0) return [counts];
  return [counts, `${failed.length} of those that have ended have failed: ${failed.map(workflowIdOfRun).join(', ')}`];
}
