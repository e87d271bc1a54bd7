import {
  dayOf,
  quietReason,
  quietUntilInAll,
  type Recipient,
  recipientZones,
  unknownZoneIn,
} from '../../deliveries/sending/quiet-hours.rules.ts';
import type { OrgSettings } from '../../orgs/settings/schema.ts';
import type { Gates } from './schema.ts';

const MS_PER_MINUTE = 60_000;
/** Sends of a limited sender go out in groups, so that a sequence need not wake for each of them. */
const GROUPS_PER_MINUTE = 12;

/** The gates in effect for a sequence: its own if set, otherwise its org's. */
export interface EffectiveGates {
  quietHours: { start: string; end: string } | null;
  dailyCap: number | null;
  sendsPerMinute: number | null;
  exitOnReply: boolean;
  exitWhenUnmatched: boolean;
  /** The org's time zone, for recipients whose own is unknown. */
  timeZone: string | null;
}

export function effectiveGates(
  own: Gates,
  org: Pick<OrgSettings, 'quiet_hours' | 'daily_cap' | 'timezone'>,
): EffectiveGates {
  return {
    quietHours: own.quiet_hours ?? org.quiet_hours,
    dailyCap: own.daily_cap ?? org.daily_cap,
    sendsPerMinute: own.sends_per_minute ?? null,
    exitOnReply: own.exit_on_reply ?? false,
    exitWhenUnmatched: own.exit_when_unmatched ?? false,
    timeZone: org.timezone,
  };
}

/** Whether these gates may defer a send. */
export const canDefer = ({ quietHours, dailyCap, sendsPerMinute }: EffectiveGates): boolean =>
  quietHours !== null || dailyCap !== null || sendsPerMinute !== null;

/** The reason for deferring a send, and the time of its next evaluation. */
export interface Deferral {
  gate: 'quiet_hours' | 'daily_cap' | 'sends_per_minute';
  until: Date;
  /** Includes the value at the time of the evaluation. */
  reason: string;
}

/** The result of the gates for the enrollments due with a step. */
export interface GateEvaluation {
  deferrals: Map<string, Deferral>;
  /** The enrollments evaluated; there was nothing to send to the others. */
  evaluated: Set<string> | 'all';
}

/** Returns the recipient's day, for counting its sends. */
export const recipientDay = (at: Date, recipient: Recipient, { timeZone }: EffectiveGates) =>
  dayOf(at, recipientZones(recipient, timeZone)[0]);

/**
 * Returns a deferral if it is quiet hours for the recipient, or their daily cap is reached. `sentThatDay` counts the
 * sends of all sequences.
 */
export function deferralOf(
  at: Date,
  recipient: Recipient,
  gates: EffectiveGates,
  sentThatDay: number,
): Deferral | null {
  const zones = recipientZones(recipient, gates.timeZone);
  if (gates.quietHours !== null) {
    const until = quietUntilInAll(at, zones, gates.quietHours);
    if (until !== null) {
      const reason = quietReason(at, zones, gates.quietHours) + unknownZoneIn(recipient);
      return { gate: 'quiet_hours', until, reason };
    }
  }
  if (gates.dailyCap !== null && sentThatDay >= gates.dailyCap) {
    const [zone] = zones;
    const { end, date } = dayOf(at, zone);
    const reason = `daily_cap: ${sentThatDay} of at most ${gates.dailyCap} sent on ${date} in ${zone}`;
    return { gate: 'daily_cap', until: end, reason };
  }
  return null;
}

/** The last reserved slot of a sender: `used` sends of the group at `slotAt` are taken. */
export interface SenderRate {
  slotAt: Date;
  used: number;
}

/**
 * Returns slots for `count` more sends of a sender and its state after them. There are never more than `perMinute` in
 * any minute. The next group follows a full spacing after the last send of the group before: sends may join a group
 * after its planned time.
 */
export function reserveSlots(
  now: Date,
  rate: SenderRate | undefined,
  perMinute: number,
  count: number,
): { slots: Date[]; rate: SenderRate } {
  const groupSize = Math.max(1, Math.floor(perMinute / GROUPS_PER_MINUTE));
  const spacingMs = Math.ceil(MS_PER_MINUTE / Math.floor(perMinute / groupSize));
  let slotAt = rate?.slotAt.getTime() ?? 0;
  let used = rate?.used ?? groupSize;
  const slots: Date[] = [];
  for (let taken = 0; taken < count; taken++) {
    const isFull = used >= groupSize;
    slotAt = Math.max(isFull ? slotAt + spacingMs : slotAt, now.getTime());
    used = isFull ? 1 : used + 1;
    slots.push(new Date(slotAt));
  }
  return { slots, rate: { slotAt: new Date(slotAt), used } };
}
