import { elementAt } from '../../collections/checked-access.ts';
import { recipientZones } from '../../deliveries/sending/quiet-hours.rules.ts';
import { unprocessable } from '../../errors.ts';
import type { EffectiveGates } from '../gates/rules.ts';
import type { ContactSimulation } from './rules.ts';

/** A worker computes eight forecasts at once. Each holds some tens of bytes for a contact. */
const MAX_CONTACTS = 1_000_000;
const IDS_PER_CHUNK = 4_096;
const ID_BYTES = 16;

/** What contacts have in common at the beginning: their zones, steps and eligibilities. */
interface Origin extends Pick<ContactSimulation, 'phone_number' | 'custom_data' | 'steps' | 'eligibilities'> {
  number: number;
}

/** What decides how contacts go on, shared by those who have it in common. */
interface Standing {
  key: string;
  origin: Origin;
  stepsLeft: number;
  hasSlot: boolean;
  heldBy: string[];
  /** The last day with sends. Earlier days decide nothing any more. */
  lastDay: [date: string, sent: number] | undefined;
  contacts: number;
}

/** The courses of many contacts, by numbers in the order of their addition. */
export interface CourseStore {
  /** Throws unprocessable beyond the maximum. */
  add(course: ContactSimulation): void;
  /** Stores a course as it is now, under its number. */
  save(number: number, course: ContactSimulation): void;
  load(number: number): ContactSimulation;
  count(): number;
  /** Orders courses by the time of their next step, then by the step, then by number. */
  compare(one: number, other: number): number;
}

/**
 * Creates a store that holds a course in some tens of bytes. Contacts differ in their ids and times, and all else is
 * stored once for those who have it in common. A million courses by themselves would fill the memory of the worker.
 */
export function createCourseStore(gates: EffectiveGates, maxContacts = MAX_CONTACTS): CourseStore {
  const ids = createIdList();
  const times: number[] = [];
  const standingOf: Standing[] = [];
  const originOf = createOrigins(gates);
  const standings = createStandings();
  return {
    add(course) {
      if (times.length >= maxContacts)
        throw unprocessable(`With sends_per_minute, a forecast has at most ${maxContacts} contacts`);
      ids.set(times.length, course.contact_id);
      times.push(course.at);
      standingOf.push(standings.enter(course, originOf(course)));
    },
    save(number, course) {
      const before = elementAt(standingOf, number);
      times[number] = course.at;
      standingOf[number] = standings.enter(course, before.origin);
      standings.leave(before);
    },
    load: (number) => ({
      ...courseOf(elementAt(standingOf, number)),
      contact_id: ids.get(number),
      at: elementAt(times, number),
    }),
    count: () => times.length,
    compare: (one, other) =>
      elementAt(times, one) - elementAt(times, other) ||
      nextStepIndexOf(elementAt(standingOf, one)) - nextStepIndexOf(elementAt(standingOf, other)) ||
      one - other,
  };
}

function courseOf({ origin, stepsLeft, hasSlot, heldBy, lastDay }: Standing) {
  const { phone_number, custom_data, steps, eligibilities } = origin;
  return {
    phone_number,
    custom_data,
    steps: steps.slice(steps.length - stepsLeft),
    eligibilities: eligibilities.slice(steps.length - stepsLeft),
    hasSlot,
    heldBy: [...heldBy],
    sentOn: new Map(lastDay === undefined ? [] : [lastDay]),
  };
}

const nextStepIndexOf = ({ origin, stepsLeft }: Standing): number => origin.steps.at(-stepsLeft)?.index ?? 0;

/** Creates a list of UUIDs in 16 bytes each. */
function createIdList() {
  const chunks: Buffer[] = [];
  const placeOf = (number: number) => (number % IDS_PER_CHUNK) * ID_BYTES;
  return {
    set(number: number, id: string): void {
      const place = Math.floor(number / IDS_PER_CHUNK);
      chunks[place] ??= Buffer.alloc(IDS_PER_CHUNK * ID_BYTES);
      chunks[place].write(id.replaceAll('-', ''), placeOf(number), 'hex');
    },
    get(number: number): string {
      const chunk = elementAt(chunks, Math.floor(number / IDS_PER_CHUNK));
      const digits = chunk.toString('hex', placeOf(number), placeOf(number) + ID_BYTES);
      return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
  };
}

/** Creates a function returning the origin that a contact shares with those before it. */
function createOrigins({ timeZone }: EffectiveGates) {
  const origins = new Map<string, Origin>();
  return ({ phone_number, custom_data, steps, eligibilities }: ContactSimulation): Origin => {
    const zones = recipientZones({ phone_number, custom_data }, timeZone);
    const key = JSON.stringify([zones, steps[0]?.index, eligibilities]);
    const cached = origins.get(key);
    if (cached !== undefined) return cached;
    const origin = { number: origins.size, phone_number, custom_data, steps, eligibilities };
    origins.set(key, origin);
    return origin;
  };
}

/** Creates the set of standings. One without contacts is forgotten. */
function createStandings() {
  const standings = new Map<string, Standing>();
  return {
    /** Counts a contact in for its standing. */
    enter({ steps, hasSlot, heldBy, sentOn }: ContactSimulation, origin: Origin): Standing {
      const lastDay = lastDayOf(sentOn);
      const key = JSON.stringify([origin.number, steps.length, hasSlot, heldBy, lastDay]);
      const known = standings.get(key);
      const standing = known ?? {
        key,
        origin,
        stepsLeft: steps.length,
        hasSlot,
        heldBy: [...heldBy],
        lastDay,
        contacts: 0,
      };
      if (known === undefined) standings.set(key, standing);
      standing.contacts++;
      return standing;
    },
    leave(standing: Standing): void {
      if (--standing.contacts === 0) standings.delete(standing.key);
    },
  };
}

const lastDayOf = (sentOn: Map<string, number>): [date: string, sent: number] | undefined =>
  [...sentOn].sort(([one], [other]) => (one < other ? -1 : 1)).at(-1);
