import fc from 'fast-check';

/** A session with all filterable fields. */
export interface Case {
  id: string;
  created_at: Date;
  last_message_at: Date | null;
  channel: string;
  status_code: number;
  ai_closure_type: string | null;
  sentiment: string | null;
  assignee_id: number | null;
  team_id: string | null;
  contact_id: string | null;
  language: string | null;
  waiting_on: string | null;
  custom_data: Record<string, string>;
  /** In lower case. */
  tags: string[];
  ticket_number: number;
}

/** The members, teams and contacts of the org. */
export interface Cast {
  members: number[];
  teams: string[];
  contacts: string[];
}

interface Filters {
  date?: { from?: string; to?: string };
  channels?: string[];
  status?: number[];
  ai_closure?: string[];
  sentiment?: string[];
  assignees?: number[];
  team_ids?: string[];
  contact_ids?: string[];
  ticket_number?: number;
  language?: string[];
  tags?: string[];
  waiting_on?: string;
  custom_data?: Record<string, string>[];
}

export interface Request {
  filters: Filters;
  sort_by?: 'last_message_at' | 'created_at';
  sort_order?: 'asc' | 'desc';
}

const CHANNELS = ['web', 'email', 'sms', 'api'];
const CLOSURES = ['assumed_resolved', 'handed_off', 'resolved'];
const SENTIMENTS = ['angry', 'happy', 'neutral'];
const LANGUAGES = ['en', 'de', 'zh'];
const WAITING = ['customers', 'human_agents'];
export const TAGS = ['Refund', 'VIP', 'Straße', 'Café'];
const KEYS = ['plan', '', `'; drop table sessions; --`, '$1', '{"a":1}', 'toString'];
const VALUES = ['pro', 'free', '', `" or ""="`, '%', 'null'];

const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n));
const instant = fc.integer({ min: 0, max: 12 }).map(day);
const orNull = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values));
const pairs = (maxKeys: number) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES)), {
      maxLength: maxKeys,
      selector: ([key]) => key,
    })
    .map((entries) => Object.fromEntries(entries) as Record<string, string>);

/** Generates sessions sharing most of their values, including times. */
export const casesOf = ({ members, teams, contacts }: Cast): fc.Arbitrary<Case> =>
  fc.record({
    id: fc.uuid(),
    created_at: instant,
    last_message_at: fc.option(instant),
    channel: fc.constantFrom(...CHANNELS),
    status_code: fc.constantFrom(0, 1, 2, 7),
    ai_closure_type: orNull(CLOSURES),
    sentiment: orNull(SENTIMENTS),
    assignee_id: orNull(members),
    team_id: orNull(teams),
    contact_id: orNull(contacts),
    language: orNull(LANGUAGES),
    waiting_on: orNull(WAITING),
    custom_data: pairs(3),
    tags: fc.uniqueArray(fc.constantFrom(...TAGS.map((name) => name.toLowerCase())), { maxLength: 3 }),
    ticket_number: fc.constant(0),
  });

const some = <T>(values: readonly T[]) => fc.uniqueArray(fc.constantFrom(...values), { maxLength: 2 });

/** Generates values for each filter field, both existing and unknown ones. */
export const fieldsOf = ({
  members,
  teams,
  contacts,
}: Cast): { [Name in keyof Required<Filters>]: fc.Arbitrary<Filters[Name]> } => ({
  date: fc.record(
    { from: instant.map((at) => at.toISOString()), to: instant.map((at) => at.toISOString()) },
    { requiredKeys: [] },
  ),
  channels: some([...CHANNELS, 'slack']),
  status: some([0, 1, 2, 7, 40_000, Number.MAX_SAFE_INTEGER]),
  ai_closure: some(CLOSURES),
  sentiment: some(SENTIMENTS),
  assignees: some([...members, 0, -1]),
  team_ids: some([...teams, crypto.randomUUID(), 'no team']),
  contact_ids: some([...contacts, crypto.randomUUID(), `'`]),
  ticket_number: fc.integer({ min: -1, max: 320 }),
  language: some([...LANGUAGES, 'cy']),
  tags: some([...TAGS, 'REFUND', ' vip ', 'Cafe\u0301', 'unheard of']),
  waiting_on: fc.constantFrom(...WAITING),
  custom_data: fc.array(pairs(2), { maxLength: 2 }),
});

/** Generates requests with a few fields each. */
export const requestsOf = (cast: Cast): fc.Arbitrary<Request> =>
  fc.record(
    {
      filters: fc
        .tuple(fc.record(fieldsOf(cast)), fc.shuffledSubarray(Object.keys(fieldsOf(cast)), { maxLength: 4 }))
        .map(([all, names]) => Object.fromEntries(names.map((name) => [name, all[name as keyof Filters]])) as Filters),
      sort_by: fc.constantFrom('last_message_at' as const, 'created_at' as const),
      sort_order: fc.constantFrom('asc' as const, 'desc' as const),
    },
    { requiredKeys: ['filters'] },
  );

const among = <T>(values: T[] | undefined, value: T | null) =>
  values === undefined || values.length === 0 || (value !== null && values.includes(value));

/** Returns whether a session matches a filter: the specification in plain TypeScript. */
function isMet(filters: Filters, one: Case): boolean {
  const { date, assignees, ticket_number, tags = [], waiting_on, custom_data = [] } = filters;
  return (
    (date?.from === undefined || one.created_at >= new Date(date.from)) &&
    (date?.to === undefined || one.created_at <= new Date(date.to)) &&
    among(filters.channels, one.channel) &&
    among(filters.status, one.status_code) &&
    among(filters.ai_closure, one.ai_closure_type) &&
    among(filters.sentiment, one.sentiment) &&
    (assignees?.length === 0 ? one.assignee_id === null : among(assignees, one.assignee_id)) &&
    among(filters.team_ids, one.team_id) &&
    among(filters.contact_ids, one.contact_id) &&
    (ticket_number === undefined || one.ticket_number === ticket_number) &&
    among(filters.language, one.language) &&
    tags.every((name) => one.tags.includes(name.trim().normalize('NFC').toLowerCase())) &&
    (waiting_on === undefined || one.waiting_on === waiting_on) &&
    (custom_data.length === 0 ||
      custom_data.some((map) =>
        Object.entries(map).every(
          ([key, value]) => Object.hasOwn(one.custom_data, key) && one.custom_data[key] === value,
        ),
      ))
  );
}

/** Returns the ids of the sessions expected for a request, in its order. */
export function expected(
  { filters, sort_by = 'last_message_at', sort_order = 'desc' }: Request,
  cases: Case[],
): string[] {
  const at = (one: Case) => one[sort_by]?.getTime() ?? Number.NEGATIVE_INFINITY;
  const rising = cases
    .filter((one) => isMet(filters, one))
    .sort((a, b) => (at(a) === at(b) ? (a.id < b.id ? -1 : 1) : at(a) - at(b)));
  return (sort_order === 'asc' ? rising : rising.reverse()).map(({ id }) => id);
}
