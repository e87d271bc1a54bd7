import type { Trx } from '../../db/connect.ts';
import { isTriggerTypeUsed, MAX_UNMETERED_EVENTS, startRuns, type TriggerEvent } from '../runs/start-runs.service.ts';
import {
  type Occurrence,
  type Payload,
  payloadsOf,
  type TriggeringEvent,
  type TriggeringType,
} from './trigger-payloads.service.ts';

const OCCURRENCES_PER_BATCH = 500;

/**
 * Starts customers' workflows that trigger events of one type start, and wakes runs waiting for them. Events of blocked
 * contacts and deleted subjects start nothing.
 */
export async function startTriggeredRuns(trx: Trx, orgId: string, events: TriggeringEvent[]): Promise<void> {
  const [first] = events;
  if (first === undefined) return;
  const occurrences = events.flatMap(occurrencesOf);
  // Too much at once is refused, and tried again with fewer events. One event cannot be divided.
  const batchSize = events.length === 1 ? MAX_UNMETERED_EVENTS : OCCURRENCES_PER_BATCH;
  for (let at = 0; at < occurrences.length; at += batchSize)
    await startBatch(trx, orgId, first.type, occurrences.slice(at, at + batchSize));
}

/** Starts the workflows triggered by one event. Returns the ids of their runs. */
export async function startRunsForEvent(trx: Trx, orgId: string, event: TriggeringEvent): Promise<string[]> {
  return (await isTriggerTypeUsed(trx, orgId, event.type))
    ? startBatch(trx, orgId, event.type, occurrencesOf(event))
    : [];
}

async function startBatch(trx: Trx, orgId: string, type: TriggeringType, occurrences: Occurrence[]): Promise<string[]> {
  const payloads = await payloadsOf(trx, orgId, occurrences);
  const triggerEvents = occurrences.flatMap((occurrence, n) => triggerEventOf(occurrence, payloads[n]));
  const runs: string[] = [];
  for (const [only, some] of Map.groupBy(triggerEvents, ({ only }) => only))
    runs.push(...(await startRuns(trx, orgId, type, { triggerEvents: some, cause: 'automatic', only })));
  return runs;
}

/**
 * Returns the occurrences of an event with their keys. By default the key is the event's row id. Inactivity and calls
 * may be announced twice, so their keys name the occurrence itself. A sequence event has one occurrence for each
 * contact.
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

interface OwnTriggerEvent extends TriggerEvent {
  /** The only workflow to start, if any. */
  only: string | undefined;
}

function triggerEventOf(occurrence: Occurrence, output: Payload | undefined): OwnTriggerEvent[] {
  if (output === undefined) return [];
  const { key, depth, created_at } = occurrence;
  const only = occurrence.type === 'ticket-inactive' ? occurrence.payload.workflow_id : undefined;
  return [{ key, occurredAt: created_at, depth, output, only }];
}
