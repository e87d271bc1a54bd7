import { newId } from '../ids.ts';
import type { NewEvent } from './events.queries.ts';
import type { LockedSession, SessionChanges } from './queries.ts';

const AWAKE = { snoozed_at: null, snoozed_until: null };

/** Why a snooze ended. */
export type SnoozeEnding = 'canceled' | 'closed' | 'due' | 'reply';

/** Returns how the end of a snooze changes its session. */
export const snoozeEnding = (because: SnoozeEnding) => ({
  ...AWAKE,
  events: [{ id: newId(), type: 'snooze_ended' as const, data: { because } }],
});

/** Returns why a change ends the snooze of its session: a message of the contact, or its closing. */
export function endingOf(
  { snoozed_at }: Pick<LockedSession, 'snoozed_at'>,
  { status, events }: { status?: SessionChanges['status']; events: NewEvent[] },
): SnoozeEnding | undefined {
  if (snoozed_at === null || events.some(({ type }) => type === 'snooze_ended')) return undefined;
  if (events.some(({ sender, isIgnored }) => sender === 'contact' && isIgnored !== true)) return 'reply';
  return status === undefined || status === 'open' ? undefined : 'closed';
}
