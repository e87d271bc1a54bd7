import { type Command, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import type { LockedSession } from '../queries.ts';
import { type SnoozeRef, WAKE_SNOOZED_SESSION } from './contract.ts';

type SnoozedSession = Pick<LockedSession, 'id' | 'snoozed_until'>;

/** Returns the command to end the snooze of a session in time, or to read its time again. */
export const wakeSnooze = (ref: SnoozeRef): Command =>
  signalWithStart(WAKE_SNOOZED_SESSION, ref, WAKE, {
    subjectId: ref.sessionId,
    summary: 'End the snooze of a session',
  });

/** Returns the command to end the timer of a session's former snooze. */
export const withoutTimer = (orgId: string, { id, snoozed_until }: SnoozedSession): Command[] =>
  snoozed_until === null ? [] : [wakeSnooze({ orgId, sessionId: id })];
