import type { Expression, SqlBool } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { type Issue, invalid } from '../../errors.ts';
import { toE164 } from '../phone-number.schema.ts';
import {
  anyGroup,
  compileGroups,
  isUuid,
  type Lookup,
  listSegmentFilters,
  listSequences,
  MATCH_ALL,
  type References,
} from './queries.ts';
import type { ContactCondition, ContactFilter } from './schema.ts';
import { findCountry } from './shared.queries.ts';

/** The levels of segments in segments. */
const MAX_DEPTH = 5;
/** Of a saved filter with its segments, so that it can be evaluated in time. */
const MAX_SAVED_CONDITIONS = 500;

/**
 * Compiles the filter to one SQL condition over a row called `contacts`: the table, or a recordset with its columns.
 * Null matches every contact. Segments and sequences are resolved now; unknown ones match nobody.
 */
export async function compileFilter(db: Db, orgId: string, filter: ContactFilter | null): Promise<Expression<SqlBool>> {
  if (filter === null) return MATCH_ALL;
  const compile = await prepareFilter(db, orgId, filter);
  return anyGroup(compile('sets'));
}

/** Resolves the filter's references once. Returns a function compiling its conditions, one per group. */
export async function prepareFilter(
  db: Db,
  orgId: string,
  filter: ContactFilter,
): Promise<(lookup: Lookup) => Expression<SqlBool>[]> {
  const country = await findCountry(db, orgId);
  const readable = withPhoneNumbers(filter, country);
  const found = await resolveReferences(db, orgId, readable);
  const segments = [...found.segments].map(([id, inner]) => [id, inner && withPhoneNumbers(inner, country)] as const);
  const references = { ...found, segments: new Map(segments) };
  return (lookup) => compileGroups(orgId, readable, references, lookup);
}

/**
 * Throws invalid for a filter that cannot be saved: it names an unknown segment, contains its own segment
 * (`segmentId`), or expands to more than can be evaluated in time.
 */
export async function assertSavable(
  db: Db,
  orgId: string,
  filter: ContactFilter | null,
  { path, segmentId }: { path: string; segmentId?: string },
): Promise<void> {
  if (filter === null) return;
  const { segments } = await resolveReferences(db, orgId, filter);
  const issues = conditionsOf(filter).flatMap(({ condition, place }): Issue[] => {
    if (condition.type !== 'contact_belongs_to_segment') return [];
    const at = `${path}.${place}.segment_id`;
    if (condition.segment_id.toLowerCase() === segmentId)
      return [{ path: at, message: 'a segment cannot contain itself' }];
    if (!segments.has(condition.segment_id.toLowerCase()))
      return [{ path: at, message: `there is no segment ${condition.segment_id}` }];
    return [];
  });
  if (issues.length > 0) throw invalid(issues.map(({ path, message }) => `${path}: ${message}`).join('; '), issues);

  const problem = problemOf(filter, segments, segmentId === undefined ? [] : [segmentId], { count: 0 });
  if (problem !== undefined) throw invalid(`${path}: ${problem}`, [{ path, message: problem }]);
}

/** Returns the problem of a filter expanded with all its segments, or undefined. */
function problemOf(
  filter: ContactFilter,
  segments: References['segments'],
  within: string[],
  expanded: { count: number },
): string | undefined {
  for (const { condition } of conditionsOf(filter)) {
    expanded.count += 1;
    if (expanded.count > MAX_SAVED_CONDITIONS)
      return `must not expand to more than ${MAX_SAVED_CONDITIONS} conditions with its segments`;
    if (condition.type !== 'contact_belongs_to_segment') continue;
    const id = condition.segment_id.toLowerCase();
    if (within.includes(id)) return `a segment cannot contain itself (segment ${id})`;
    if (within.length >= MAX_DEPTH) return `segments must not be nested deeper than ${MAX_DEPTH} levels`;
    const inner = segments.get(id);
    if (inner === undefined || inner === null) continue;
    const problem = problemOf(inner, segments, [...within, id], expanded);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Resolves the filter's references through nested segments, with one query a level. */
async function resolveReferences(db: Db, orgId: string, filter: ContactFilter): Promise<References> {
  const segments = new Map<string, ContactFilter | null>();
  const conditions = conditionsOf(filter).map(({ condition }) => condition);
  let pending = segmentsIn(conditions);
  for (let depth = 0; depth <= MAX_DEPTH && pending.length > 0; depth += 1) {
    const filters = await listSegmentFilters(db, orgId, pending);
    for (const { id, filter } of filters) segments.set(id, filter);
    const inner = filters.flatMap(({ filter }) => (filter === null ? [] : conditionsOf(filter)));
    conditions.push(...inner.map(({ condition }) => condition));
    pending = segmentsIn(inner.map(({ condition }) => condition)).filter((id) => !segments.has(id));
  }
  return { segments, sequences: await resolveSequences(db, orgId, conditions) };
}

async function resolveSequences(
  db: Db,
  orgId: string,
  conditions: ContactCondition[],
): Promise<References['sequences']> {
  const names = conditions.flatMap((condition) =>
    condition.type === 'contacts_affected_by_sequence' ? [condition.sequence_id] : [],
  );
  if (names.length === 0) return new Map();
  const sequences = await listSequences(db, orgId, [...new Set(names)]);
  const idsOf = (name: string) => {
    const byId = sequences.filter(({ id }) => id === name.toLowerCase());
    return (byId.length > 0 ? byId : sequences.filter(({ custom_id }) => custom_id === name)).map(({ id }) => id);
  };
  return new Map(names.map((name) => [name, idsOf(name)]));
}

const segmentsIn = (conditions: ContactCondition[]): string[] => [
  ...new Set(
    conditions.flatMap((condition) =>
      condition.type === 'contact_belongs_to_segment' && isUuid(condition.segment_id)
        ? [condition.segment_id.toLowerCase()]
        : [],
    ),
  ),
];

const conditionsOf = (filter: ContactFilter) =>
  filter.or.flatMap(({ and }, group) =>
    and.map((condition, index) => ({ condition, place: `or.${group}.and.${index}` })),
  );

/** Normalizes phone numbers to E.164, as stored, so that a filter finds them in any spelling. */
const withPhoneNumbers = (filter: ContactFilter, country: string | undefined): ContactFilter => ({
  or: filter.or.map(({ and }) => ({
    and: and.map((condition) =>
      condition.type === 'contacts_phone_number_in'
        ? { ...condition, phone_number_in: condition.phone_number_in.map((text) => toE164(text, country) ?? text) }
        : condition,
    ),
  })),
});
