import {
  type Client,
  isGrpcServiceError,
  MONTHS,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
} from '@temporalio/client';
import type { WorkflowContract } from './contract.ts';
import { isTemporalUnavailable } from './dispatch.ts';
import { isTitleUnknown, searchAttributes } from './search-attributes.ts';

export interface ScheduleDefinition<Input> {
  scheduleId: string;
  orgId: string;
  subjectId: string;
  times: { cron: string; timezone: string } | { everyMs: number; offsetMs: number } | { minutes: Date[] };
  /** Maximum delay of a scheduled time, for example after an outage of Temporal. */
  catchupWindow: '1 minute' | '365 days';
  /** One line for the operator. */
  summary: string;
  contract: WorkflowContract<Input>;
  input: Input;
}

/**
 * Creates a Schedule, or updates the existing one with this id. Its title is its summary, unless the namespace has no
 * attribute for titles.
 */
export async function putSchedule<Input>(client: Client, kept: ScheduleDefinition<Input>): Promise<void> {
  try {
    await putTitled(client, kept, kept.summary);
  } catch (error) {
    if (!isTitleUnknown(error)) throw error;
    await putTitled(client, kept);
  }
}

async function putTitled<Input>(client: Client, kept: ScheduleDefinition<Input>, title?: string): Promise<void> {
  const { scheduleId, orgId, subjectId, times, catchupWindow, summary, contract, input } = kept;
  const workflowId = contract.workflowId(input);
  const options = {
    spec: specOf(times),
    policies: { overlap: 'SKIP', catchupWindow },
    action: {
      type: 'startWorkflow',
      workflowType: contract.type,
      workflowId,
      taskQueue: contract.taskQueue,
      args: [input],
      typedSearchAttributes: searchAttributes({ orgId, subjectId, workflowId, title }),
      staticSummary: summary,
    },
  } satisfies Omit<ScheduleOptions, 'scheduleId'>;
  const typedSearchAttributes = searchAttributes({ orgId, subjectId, workflowId: scheduleId, title });
  try {
    await client.schedule.create({ scheduleId, typedSearchAttributes, ...options } as ScheduleOptions);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    await client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...options, state }) as never);
  }
}

function specOf(times: ScheduleDefinition<never>['times']): ScheduleOptions['spec'] {
  if ('cron' in times) return { cronExpressions: [times.cron], timezone: times.timezone };
  if ('minutes' in times) return { calendars: calendarsOf(times.minutes), timezone: 'UTC' };
  return { intervals: [{ every: times.everyMs, offset: times.offsetMs }] };
}

/** Returns calendars for single minutes, one for each hour with any. */
function calendarsOf(minutes: Date[]): NonNullable<ScheduleOptions['spec']['calendars']> {
  const hours = Map.groupBy(minutes, (minute) => minute.toISOString().slice(0, 13));
  return [...hours.values()].map((inHour) => {
    const [first = new Date(0)] = inHour;
    return {
      year: first.getUTCFullYear(),
      month: MONTHS[first.getUTCMonth()] ?? 'JANUARY',
      dayOfMonth: first.getUTCDate(),
      hour: first.getUTCHours(),
      minute: inHour.map((minute) => minute.getUTCMinutes()),
    };
  });
}

/** Returns why Temporal refused a call, for its caller. Throws the error if Temporal did not decide. */
export function refusalOf(error: unknown): string {
  if (isTemporalUnavailable(error)) throw error;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (isGrpcServiceError(cause) && cause.details) return cause.details; // empty over a worker's connection
  if (cause instanceof Error) return cause.message;
  throw error;
}

/** Deletes a Schedule if it exists. */
export async function deleteSchedule(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

/** The id of a Schedule, and what it was put with as its subject. */
export interface ScheduleRef {
  scheduleId: string;
  subjectId: string;
}

/** Returns the ids of those Schedules that are listed. One put seconds ago may not be listed yet. */
export async function listScheduleIds(client: Client, refs: ScheduleRef[]): Promise<Set<string>> {
  const listed = new Set<string>();
  if (refs.length === 0) return listed;
  const subjects = refs.map(({ subjectId }) => `'${subjectId}'`).join(', ');
  for await (const { scheduleId } of client.schedule.list({ query: `SubjectId in (${subjects})` }))
    listed.add(scheduleId);
  return listed;
}

/** Returns the ids of all Schedules of the namespace. */
export async function listAllScheduleIds(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for await (const { scheduleId } of client.schedule.list()) ids.push(scheduleId);
  return ids;
}

/** Returns the next times of a Schedule, at most ten. None if it does not exist. */
export async function findNextTimes(client: Client, scheduleId: string): Promise<Date[]> {
  try {
    return (await client.schedule.getHandle(scheduleId).describe()).info.nextActionTimes;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return [];
    throw error;
  }
}

/** Returns whether a Schedule exists. */
export async function hasSchedule(client: Client, scheduleId: string): Promise<boolean> {
  try {
    await client.schedule.getHandle(scheduleId).describe();
    return true;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return false;
    throw error;
  }
}
