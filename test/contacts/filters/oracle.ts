import fc from 'fast-check';
import type { ContactCondition, ContactFilter } from '../../../src/contacts/filters/schema.ts';

/** A contact with all data relevant to filters. */
export interface Person {
  id: string;
  email: string | null;
  phone_number: string | null;
  external_id: string | null;
  name: string | null;
  custom_data: Record<string, string>;
  created_at: Date;
  sequences: string[];
  contactedAt: Date[];
  sessions: { custom_data: Record<string, string>; last_message_at: Date | null; isHandedOff: boolean }[];
}

/** Strings with harmful effects unless treated as data. */
export const HOSTILE = [
  `'; drop table contacts; --`,
  `" or ""="`,
  `\\'; select pg_sleep(10)`,
  '$1',
  '{"a":1}',
  '%_',
  `x'||'y`,
  '\u202e☃𝒳',
  '{}',
  'null',
];

const inRange = (at: Date, { after, before }: { after?: unknown; before?: unknown }) =>
  (after === undefined || after === null || at >= new Date(after as string)) &&
  (before === undefined || before === null || at < new Date(before as string));

/** Evaluates a filter in plain TypeScript. */
export function matches(
  filter: ContactFilter | null,
  person: Person,
  segments: Record<string, ContactFilter | null>,
): boolean {
  if (filter === null) return true;
  return filter.or.some(({ and }) => and.every((condition) => conditionMatches(condition, person, segments)));
}

function conditionMatches(
  condition: ContactCondition,
  person: Person,
  segments: Record<string, ContactFilter | null>,
): boolean {
  switch (condition.type) {
    case 'all_contacts':
      return true;
    case 'contact_id_in':
      return condition.contact_ids.includes(person.id);
    case 'contacts_created_at_between':
      return inRange(person.created_at, condition);
    case 'contacts_email_domain_name_in':
      return condition.domain_name_in.some((domain) => person.email?.split('@')[1] === domain.toLowerCase());
    case 'contacts_affected_by_sequence':
      return person.sequences.includes(condition.sequence_id);
    case 'contacts_name_in':
      return person.name !== null && condition.name_in.includes(person.name);
    case 'contacts_phone_number_in':
      return condition.phone_number_in.some((phone) => phone.replaceAll(' ', '') === person.phone_number);
    case 'contacts_email_in':
      return condition.email_in.some((email) => email.toLowerCase() === person.email);
    case 'contacts_external_id_in':
      return person.external_id !== null && condition.external_id_in.includes(person.external_id);
    case 'contacts_attributes_in':
      return hasOne(condition.attributes, person.custom_data);
    case 'last_contacted_at_between':
      return lastIsIn(condition, [...person.contactedAt, ...person.sessions.map((session) => session.last_message_at)]);
    case 'last_contacted_at_with_handoff_between': {
      const handedOff = person.sessions.filter(({ isHandedOff }) => isHandedOff);
      return lastIsIn(
        condition,
        handedOff.map((session) => session.last_message_at),
      );
    }
    case 'contact_belongs_to_segment': {
      const segment = segments[condition.segment_id];
      return segment !== undefined && matches(segment, person, segments);
    }
    case 'contacts_sessions_attributes_in':
      return person.sessions.some(({ custom_data }) => hasOne(condition.attributes, custom_data));
  }
}

const hasOne = (maps: Record<string, string>[] | undefined, data: Record<string, string>) =>
  (maps ?? []).some((map) =>
    Object.entries(map).every(([key, value]) => Object.hasOwn(data, key) && data[key] === value),
  );

function lastIsIn(bounds: { after?: unknown; before?: unknown }, times: (Date | null)[]): boolean {
  const last = times
    .filter((at) => at !== null)
    .sort((a, b) => a.getTime() - b.getTime())
    .at(-1);
  return last !== undefined && inRange(last, bounds);
}

const EMAILS = ['ann@a.example', 'bob@b.example', 'cy@a.example', 'dan@mail.a.example', "o'neil@b.example"];
const PHONES = ['+442079460958', '+15005550006', '+491701234567'];
const EXTERNAL_IDS = ['crm-1', 'CRM-1', '42', ...HOSTILE];
const NAMES = ['', 'Ann', 'ann', 'Bob', ...HOSTILE];
const KEYS = ['plan', 'city', ...HOSTILE];
const VALUES = ['pro', 'free', '', ...HOSTILE];
const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n));

const instant = fc.integer({ min: 0, max: 20 }).map(day);
const iso = instant.map((at) => at.toISOString());
const bounds = { after: fc.option(iso, { nil: undefined }), before: fc.option(iso, { nil: undefined }) };
const pick = (values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { maxLength: 3 });
const map = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), { maxKeys: 2 });

/** Generates the contacts of one org: e-mails, phone numbers and external ids are unique, most other values are shared by many. */
export const people = (sequences: string[]): fc.Arbitrary<Person[]> =>
  fc
    .array(
      fc.record({
        id: fc.uuid({ version: 7 }),
        email: fc.option(fc.constantFrom(...EMAILS)),
        phone_number: fc.option(fc.constantFrom(...PHONES)),
        external_id: fc.option(fc.constantFrom(...EXTERNAL_IDS)),
        name: fc.option(fc.constantFrom(...NAMES)),
        custom_data: fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), { maxKeys: 4 }),
        created_at: instant,
        sequences: fc.uniqueArray(fc.constantFrom(...sequences), { maxLength: 2 }),
        contactedAt: fc.array(instant, { maxLength: 2 }),
        sessions: fc.array(
          fc.record({
            custom_data: fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), { maxKeys: 3 }),
            last_message_at: fc.option(instant),
            isHandedOff: fc.boolean(),
          }),
          { maxLength: 2 },
        ),
      }),
      { minLength: 40, maxLength: 60 },
    )
    .map((list) =>
      list.map((person, index) => ({
        ...person,
        email: person.email === null ? null : person.email.replace('@', `${index}@`),
        phone_number:
          list.findIndex((other) => other.phone_number === person.phone_number) === index ? person.phone_number : null,
        external_id:
          list.findIndex((other) => other.external_id === person.external_id) === index ? person.external_id : null,
      })),
    );

/** Generates filters with values of these contacts, and with values matching nobody. */
export function filterOf(all: Person[], sequences: string[], segments: string[]): fc.Arbitrary<ContactFilter> {
  const emails = all.flatMap(({ email }) => email ?? []);
  const conditions: fc.Arbitrary<ContactCondition>[] = [
    fc.constant({ type: 'all_contacts' }),
    fc.record({
      type: fc.constant('contact_id_in'),
      contact_ids: pick([...all.map(({ id }) => id), crypto.randomUUID()]),
    }),
    fc.record({ type: fc.constant('contacts_created_at_between'), ...bounds }),
    fc.record({
      type: fc.constant('contacts_email_domain_name_in'),
      domain_name_in: pick(['a.example', 'B.example', 'mail.a.example', 'nowhere.example', ...HOSTILE]),
    }),
    fc.record({
      type: fc.constant('contacts_affected_by_sequence'),
      sequence_id: fc.constantFrom(...sequences, crypto.randomUUID(), ...HOSTILE),
    }),
    fc.record({ type: fc.constant('contacts_name_in'), name_in: pick(NAMES) }),
    fc.record({
      type: fc.constant('contacts_phone_number_in'),
      phone_number_in: pick([...PHONES, '+44 20 7946 0958', ...HOSTILE]),
    }),
    fc.record({ type: fc.constant('contacts_email_in'), email_in: pick([...emails, 'ANN0@a.example', ...HOSTILE]) }),
    fc.record({ type: fc.constant('contacts_external_id_in'), external_id_in: pick(EXTERNAL_IDS) }),
    fc.record({ type: fc.constant('contacts_attributes_in'), attributes: fc.array(map, { maxLength: 3 }) }),
    fc.record({ type: fc.constant('contacts_sessions_attributes_in'), attributes: fc.array(map, { maxLength: 2 }) }),
    fc.record({ type: fc.constant('last_contacted_at_between'), ...bounds }),
    fc.record({ type: fc.constant('last_contacted_at_with_handoff_between'), ...bounds }),
  ];
  if (segments.length > 0) {
    const segment_id = fc.constantFrom(...segments, crypto.randomUUID(), ...HOSTILE);
    conditions.push(fc.record({ type: fc.constant('contact_belongs_to_segment'), segment_id }));
  }
  const group = fc.record({ and: fc.array(fc.oneof(...conditions), { maxLength: 3 }) });
  return fc.record({ or: fc.array(group, { minLength: 1, maxLength: 4 }) });
}
