import { newId } from '../../ids.ts';
import { type Command, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import type { NewEvent } from '../events.queries.ts';
import type { LockedSession, SessionChanges } from '../queries.ts';
import { type SnoozeRef, WAKE_SNOOZED_SESSION } from './contract.ts';

type SnoozedSession = Pick<LockedSession, 'id' | 'snoozed_at' | 'snoozed_until'>;

const AWAKE = { snoozed_at: null, snoozed_until: null };

/** Why a snooze ended. */
export type SnoozeEnding = 'canceled' | 'closed' | 'due' | 'reply';

/** Returns the command to end the snooze of a session in time, or to read its time again. */
export const wakeSnooze = (ref: SnoozeRef): Command =>
  signalWithStart(WAKE_SNOOZED_SESSION, ref, WAKE, {
    subjectId: ref.sessionId,
    summary: 'End the snooze of a session',
  });

/** Returns how the end of a snooze changes its session. */
export const snoozeEnding = (because: SnoozeEnding) => ({
  ...AWAKE,
  events: [{ id: newId(), type: 'snooze_ended' as const, data: { because } }],
});

/** Returns why a change ends the snooze of its session: a message of the contact, or its closing. */
export function endingOf(
  { snoozed_at }: SnoozedSession,
  { status, events }: { status?: SessionChanges['status']; events: NewEvent[] },
): SnoozeEnding | undefined {
  if (snoozed_at === null || events.some(({ type }) => type === 'snooze_ended')) return undefined;
  if (events.some(({ sender, isIgnored }) => sender === 'contact' && isIgnored !== true)) return 'reply';
  return status === undefined || status === 'open' ? undefined : 'closed';
}

/** Returns the command that ends the timer of a session's former snooze. */
export const withoutTimer = (orgId: string, { id, snoozed_until }: SnoozedSession): Command[] =>
  snoozed_until === null ? [] : [wakeSnooze({ orgId, sessionId: id })];
