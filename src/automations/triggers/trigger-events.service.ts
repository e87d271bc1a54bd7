import type { Trx } from '../../db/connect.ts';
import { isTriggerTypeUsed, startRuns, type TriggerEvent } from '../runs/start-runs.service.ts';
import {
  type Occurrence,
  type Payload,
  payloadsOf,
  type TriggeringEvent,
  type TriggeringType,
} from './trigger-payloads.service.ts';

const OCCURRENCES_PER_BATCH = 500;

/**
 * A reaction to events of one type that fires triggers: starts the customers' workflows that follow them, and wakes runs that wait for them. Where
 * no workflow asks for the type, it costs one read. Events of blocked contacts and of deleted subjects start nothing.
 */
export async function startTriggeredRuns(trx: Trx, orgId: string, events: TriggeringEvent[]): Promise<void> {
  const [first] = events;
  if (first === undefined || !(await isTriggerTypeUsed(trx, orgId, first.type))) return;
  const occurrences = events.flatMap(occurrencesOf);
  for (let at = 0; at < occurrences.length; at += OCCURRENCES_PER_BATCH)
    await startBatch(trx, orgId, first.type, occurrences.slice(at, at + OCCURRENCES_PER_BATCH));
}

/** Starts the workflows that follow one event. Gives their runs. */
export async function startRunsForEvent(trx: Trx, orgId: string, event: TriggeringEvent): Promise<string[]> {
  return (await isTriggerTypeUsed(trx, orgId, event.type))
    ? startBatch(trx, orgId, event.type, occurrencesOf(event))
    : [];
}

async function startBatch(trx: Trx, orgId: string, type: TriggeringType, occurrences: Occurrence[]): Promise<string[]> {
  const payloads = await payloadsOf(trx, orgId, occurrences);
  const happenings = occurrences.flatMap((occurrence, n) => happeningOf(occurrence, payloads[n]));
  const runs: string[] = [];
  for (const [only, some] of Map.groupBy(happenings, ({ only }) => only))
    runs.push(...(await startRuns(trx, orgId, type, some, 'automatic', only)));
  return runs;
}

/**
 * An event has its row's number as its key. What is reported or found twice has a key of its own: a time of inactivity, a moment of a call. An
 * event of a sequence is about several contacts.
 */
function occurrencesOf(event: TriggeringEvent): Occurrence[] {
  const { id, subject_id } = event;
  switch (event.type) {
    case 'ticket-inactive':
      return [{ ...event, key: `inactive/${subject_id}/${event.payload.since}/${event.payload.inactive_minutes}` }];
    case 'phone-call-started':
    case 'phone-call-finished':
    case 'voice-call-transferred':
    case 'pre-voice-call-transfer':
      return [{ ...event, key: `call/${subject_id}/${event.type}` }];
    case 'sequence-completed':
      return event.payload.enrollments.map((enrollment) => ({
        ...event,
        key: `event/${id}/${enrollment.id}`,
        enrollment,
      }));
    default:
      return [{ ...event, key: `event/${id}` }];
  }
}

interface OwnHappening extends TriggerEvent {
  /** The one workflow that asked for it. */
  only: string | undefined;
}

function happeningOf(occurrence: Occurrence, output: Payload | undefined): OwnHappening[] {
  if (output === undefined) return [];
  const { key, depth, created_at } = occurrence;
  const only = occurrence.type === 'ticket-inactive' ? occurrence.payload.workflow_id : undefined;
  return [{ key, occurredAt: created_at, depth, output, only }];
}
