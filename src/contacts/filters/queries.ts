import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import type { ContactCondition, ContactFilter } from './schema.ts';

/** The references of a filter, as resolved now. A missing one matches no contact. */
export interface References {
  segments: ReadonlyMap<string, ContactFilter | null>;
  /** Sequence ids by the name used in the filter: an id or a custom_id. */
  sequences: ReadonlyMap<string, string[]>;
}

/** Segments of a saved filter can have grown since: more than a saved one may have (service.ts). */
const MAX_COMPILED_CONDITIONS = 2_000;
const MATCH_NONE = sql<SqlBool>`false`;
export const MATCH_ALL = sql<SqlBool>`true`;

/**
 * The strategy for finding rows of other tables. `sets` leaves the choice to Postgres. `probes` forces an index look-up
 * for each contact, best when only a few contacts are checked.
 */
export type Lookup = 'sets' | 'probes';

interface Compilation {
  orgId: string;
  lookup: Lookup;
  references: References;
  /** The segments being compiled, outermost first. A segment already among them contains itself. */
  path: string[];
  conditions: { count: number };
}

/**
 * Compiles the filter to one condition per group, over a row called `contacts`. Values and keys are bound, each list as
 * one array, so that there are few distinct SQL texts. Unknown segments, segments containing themselves, and conditions
 * beyond MAX_COMPILED_CONDITIONS match nobody.
 */
export function compileGroups(
  orgId: string,
  filter: ContactFilter,
  references: References,
  lookup: Lookup = 'sets',
): Expression<SqlBool>[] {
  const compilation = { orgId, lookup, references, path: [], conditions: { count: 0 } };
  return filter.or.map(({ and }) => sql<SqlBool>`${sql.raw(PLANNED_EACH_TIME)} ${compileAll(and, compilation)}`);
}

/** Combines the groups of a compiled filter with OR. */
export const anyGroup = (groups: Expression<SqlBool>[]): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.join(groups, sql` or `)})`;

function compileGroupsOfSegment(filter: ContactFilter, compilation: Compilation): RawBuilder<SqlBool> {
  const groups = filter.or.map(({ and }) => compileAll(and, compilation));
  return sql<SqlBool>`(${sql.join(groups, sql` or `)})`;
}

function compileAll(group: ContactCondition[], compilation: Compilation): RawBuilder<SqlBool> {
  if (group.length === 0) return MATCH_ALL;
  const conditions = group.map((condition) => compileCondition(condition, compilation));
  return sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}

function compileCondition(condition: ContactCondition, compilation: Compilation): RawBuilder<SqlBool> {
  const { references } = compilation;
  compilation.conditions.count += 1;
  if (compilation.conditions.count > MAX_COMPILED_CONDITIONS) return MATCH_NONE;
  switch (condition.type) {
    case 'all_contacts':
      return MATCH_ALL;
    case 'contact_id_in':
      return sql<SqlBool>`contacts.id = any(${condition.contact_ids}::uuid[])`;
    case 'contacts_created_at_between':
      return sql<SqlBool>`(${sql.join(isWithin('contacts.created_at', condition), sql` and `)})`;
    case 'contacts_email_domain_name_in':
      return sql<SqlBool>`split_part(contacts.email, '@', 2) = any(${lowerCase(condition.domain_name_in)}::text[])`;
    case 'contacts_affected_by_sequence':
      return isAffectedBySequence(compilation, references.sequences.get(condition.sequence_id) ?? []);
    case 'contacts_name_in':
      return sql<SqlBool>`contacts.name = any(${condition.name_in}::text[])`;
    case 'contacts_phone_number_in':
      return sql<SqlBool>`contacts.phone_number = any(${condition.phone_number_in}::text[])`;
    case 'contacts_email_in':
      return sql<SqlBool>`contacts.email = any(${lowerCase(condition.email_in)}::text[])`;
    case 'contacts_external_id_in':
      return sql<SqlBool>`contacts.external_id = any(${condition.external_id_in}::text[])`;
    case 'contacts_attributes_in':
      return hasAttributes(condition.attributes ?? []);
    case 'last_contacted_at_between':
      return lastContacted(compilation, condition, [DELIVERIES, SESSIONS]);
    case 'last_contacted_at_with_handoff_between':
      return lastContacted(compilation, condition, [HANDED_OFF_SESSIONS]);
    case 'contact_belongs_to_segment':
      return isInSegment(condition.segment_id.toLowerCase(), compilation);
    case 'contacts_sessions_attributes_in':
      return hasSessionWith(compilation, condition.attributes ?? []);
    default:
      return unknownCondition(condition);
  }
}

/** A newer version of the program can have stored a condition that this one does not know. */
function unknownCondition(condition: never): never {
  throw new Error(`unknown condition of contacts: ${JSON.stringify(condition)}`);
}

function isInSegment(segmentId: string, compilation: Compilation): RawBuilder<SqlBool> {
  const filter = compilation.references.segments.get(segmentId);
  if (filter === undefined || compilation.path.includes(segmentId)) return MATCH_NONE;
  if (filter === null) return MATCH_ALL;
  return compileGroupsOfSegment(filter, { ...compilation, path: [...compilation.path, segmentId] });
}

function hasAttributes(objects: Record<string, string>[]): RawBuilder<SqlBool> {
  if (objects.length === 0) return MATCH_NONE;
  if (objects.some((object) => Object.keys(object).length === 0)) return MATCH_ALL;
  const wanted = objects.map((object) => JSON.stringify(object));
  return sql<SqlBool>`contacts.custom_data @> any(${wanted}::jsonb[])`;
}

/** Matches contacts with a single session having all pairs of an object. */
function hasSessionWith({ orgId, lookup }: Compilation, objects: Record<string, string>[]): RawBuilder<SqlBool> {
  if (objects.length === 0) return MATCH_NONE;
  const isAny = objects.some((object) => Object.keys(object).length === 0);
  const wanted = objects.map((object) => JSON.stringify(object));
  const data = isAny ? sql`` : sql`and session.custom_data <> '{}' and session.custom_data @> any(${wanted}::jsonb[])`;
  return exists(
    lookup,
    sql`from sessions as session where session.org_id = ${orgId} and session.contact_id = contacts.id ${data}`,
  );
}

function isAffectedBySequence({ orgId, lookup }: Compilation, sequenceIds: string[]): RawBuilder<SqlBool> {
  if (sequenceIds.length === 0) return MATCH_NONE;
  return exists(
    lookup,
    sql`from enrollments as affected
    where affected.org_id = ${orgId} and affected.sequence_id = any(${sequenceIds}::uuid[])
      and affected.contact_id = contacts.id`,
  );
}

/** Whether a row exists. Postgres never turns a subquery with a limit into a join or a hash of all rows. */
const exists = (lookup: Lookup, rows: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  lookup === 'sets' ? sql<SqlBool>`exists (select ${rows})` : sql<SqlBool>`((select 1 ${rows} limit 1) is not null)`;

interface Bounds {
  after?: string | number | null | undefined;
  before?: string | number | null | undefined;
}

/** A source of messages: deliveries to a contact, or its sessions by their newest message of any author. */
type Source = (orgId: string) => RawBuilder<unknown>;
const DELIVERIES: Source = (orgId) =>
  sql`select send.contact_id, send.sent_at as at from deliveries as send where send.org_id = ${orgId}`;
const SESSIONS: Source = (orgId) =>
  sql`select talk.contact_id, talk.last_message_at as at from sessions as talk where talk.org_id = ${orgId}`;
const HANDED_OFF_SESSIONS: Source = (orgId) => sql`${SESSIONS(orgId)} and talk.handoff is not null`;

/**
 * Matches contacts whose newest message is in the range: they have a message in the range, and none after it. Postgres
 * can so start from the messages. The sources form one set of contacts, as alternative sets would be looked up for
 * every contact.
 */
function lastContacted({ orgId, lookup }: Compilation, bounds: Bounds, sources: Source[]): RawBuilder<SqlBool> {
  const messages = sources.map((source) => sql`from (${source(orgId)}) as message where`);
  const inRange = sql.join(isWithin('message.at', bounds), sql` and `);
  const ones =
    lookup === 'sets'
      ? sql`contacts.id in (${sql.join(
          messages.map((all) => sql`select contact_id ${all} ${inRange}`),
          sql` union `,
        )})`
      : sql.join(
          messages.map((all) => exists(lookup, sql`${all} message.contact_id = contacts.id and ${inRange}`)),
          sql` or `,
        );
  const one = sql<SqlBool>`(${ones})`;
  if (!isGiven(bounds.before)) return one;
  const before = new Date(bounds.before);
  const later = messages.map((all) =>
    exists(lookup, sql`${all} message.contact_id = contacts.id and message.at >= ${before}`),
  );
  return sql<SqlBool>`(${one} and not (${sql.join(later, sql` or `)}))`;
}

/** Includes `after` and excludes `before`, so that ranges can follow one another. */
function isWithin(column: string, { after, before }: Bounds): RawBuilder<SqlBool>[] {
  const conditions = [sql<SqlBool>`${sql.raw(column)} is not null`];
  if (isGiven(after)) conditions.push(sql<SqlBool>`${sql.raw(column)} >= ${new Date(after)}`);
  if (isGiven(before)) conditions.push(sql<SqlBool>`${sql.raw(column)} < ${new Date(before)}`);
  return conditions;
}

const isGiven = (bound: string | number | null | undefined): bound is string | number =>
  bound !== undefined && bound !== null;

const lowerCase = (texts: string[]) => texts.map((text) => text.toLowerCase());

/** Returns the filters of the given segments. Missing segments are left out. */
export function listSegmentFilters(db: Db, orgId: string, segmentIds: string[]) {
  return db
    .selectFrom('segments')
    .select(['id', 'filter'])
    .where('org_id', '=', orgId)
    .where(sql<SqlBool>`id = any(${segmentIds}::uuid[])`)
    .execute();
}

/** Returns sequences of the org by id, including deleted ones, and by custom_id. */
export function listSequences(db: Db, orgId: string, names: string[]) {
  return db
    .selectFrom('sequences')
    .select(['id', 'custom_id'])
    .where('org_id', '=', orgId)
    .where(
      sql<SqlBool>`(id = any(${names.filter(isUuid)}::uuid[]) or (custom_id = any(${names}::text[]) and deleted_at is null))`,
    )
    .execute();
}

export const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
