import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

/** A longer history is hard to read, and replays no more of a workflow's code. */
const MAX_EVENTS = 150;

interface RecordedHistory {
  events: { eventType: string; activityTaskScheduledEventAttributes?: { activityType: { name: string } } }[];
}

/**
 * Stores a history of each type of workflow that has ended in the client's namespace as `folder/<type>.json`. Of
 * several it keeps the one with the most kinds of events and activities, so that a replay covers most of the workflow's
 * code.
 */
export async function recordHistories(client: Client, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for await (const { workflowId, runId, type } of client.workflow.list({ query: "ExecutionStatus != 'Running'" })) {
    const history: RecordedHistory = JSON.parse(
      historyToJSON(await client.workflow.getHandle(workflowId, runId).fetchHistory()),
    );
    const file = join(folder, `${kebabCase(type)}.json`);
    const stored: RecordedHistory = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { events: [] };
    if (history.events.length <= MAX_EVENTS && varietyOf(history) > varietyOf(stored))
      writeFileSync(file, `${JSON.stringify(history, withoutStackTraces, 1)}\n`);
  }
}

/** Stack traces name folders of the machine. */
const withoutStackTraces = (key: string, value: unknown) => (key === 'stackTrace' ? '' : value);

export const kebabCase = (type: string): string => type.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const varietyOf = ({ events }: RecordedHistory): number =>
  new Set(
    events.map(
      ({ eventType, activityTaskScheduledEventAttributes: scheduled }) =>
        `${eventType} ${scheduled?.activityType.name ?? ''}`,
    ),
  ).size;
