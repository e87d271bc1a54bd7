import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { type Issue, invalid } from '../../errors.ts';
import { toE164 } from '../phone-number.schema.ts';
import {
  anyGroup,
  compileGroups,
  findCountry,
  isUuid,
  type Lookup,
  listSegmentFilters,
  listSequences,
  type References,
} from './queries.ts';
import type { CompositeFilter, ContactFilter } from './schema.ts';

export { findCountry } from './queries.ts';

const MAX_DEPTH = 5;
const MAX_EXPANDED_CONDITIONS = 500;

/**
 * Compiles the filter to one SQL condition over a row called `contacts`: the table, or a recordset with its columns.
 * Null matches every contact. Segments and sequences are resolved now; unknown ones match nobody.
 */
export async function contactFilter(
  db: Db,
  orgId: string,
  filter: CompositeFilter | null,
): Promise<Expression<SqlBool>> {
  if (filter === null) return sql<SqlBool>`true`;
  const compile = await prepareFilter(db, orgId, filter);
  return anyGroup(compile('sets'));
}

/** Resolves the filter's references once. Returns a function compiling its conditions, one per group. */
export async function prepareFilter(
  db: Db,
  orgId: string,
  filter: CompositeFilter,
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
  filter: CompositeFilter | null,
  { path, segmentId }: { path: string; segmentId?: string },
): Promise<void> {
  if (filter === null) return;
  const { segments } = await resolveReferences(db, orgId, filter);
  const issues = leavesOf(filter).flatMap(({ leaf, place }): Issue[] => {
    if (leaf.type !== 'contact_belongs_to_segment') return [];
    const at = `${path}.${place}.segment_id`;
    if (leaf.segment_id.toLowerCase() === segmentId) return [{ path: at, message: 'a segment cannot contain itself' }];
    if (!segments.has(leaf.segment_id.toLowerCase()))
      return [{ path: at, message: `there is no segment ${leaf.segment_id}` }];
    return [];
  });
  if (issues.length > 0) throw invalid(issues.map(({ path, message }) => `${path}: ${message}`).join('; '), issues);

  const problem = problemOf(filter, segments, segmentId === undefined ? [] : [segmentId], { count: 0 });
  if (problem !== undefined) throw invalid(`${path}: ${problem}`, [{ path, message: problem }]);
}

/** Returns the problem of a filter expanded with all its segments, or undefined. */
function problemOf(
  filter: CompositeFilter,
  segments: References['segments'],
  within: string[],
  unfolded: { count: number },
): string | undefined {
  for (const { leaf } of leavesOf(filter)) {
    unfolded.count += 1;
    if (unfolded.count > MAX_EXPANDED_CONDITIONS)
      return `must not unfold to more than ${MAX_EXPANDED_CONDITIONS} conditions with its segments`;
    if (leaf.type !== 'contact_belongs_to_segment') continue;
    const id = leaf.segment_id.toLowerCase();
    if (within.includes(id)) return `a segment cannot contain itself (segment ${id})`;
    if (within.length >= MAX_DEPTH) return `segments must not be nested deeper than ${MAX_DEPTH} levels`;
    const inner = segments.get(id);
    if (inner === undefined || inner === null) continue;
    const problem = problemOf(inner, segments, [...within, id], unfolded);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Resolves the filter's references through nested segments, with one query a level. */
async function resolveReferences(db: Db, orgId: string, filter: CompositeFilter): Promise<References> {
  const segments = new Map<string, CompositeFilter | null>();
  const leaves = leavesOf(filter).map(({ leaf }) => leaf);
  let pending = segmentsIn(leaves);
  for (let depth = 0; depth <= MAX_DEPTH && pending.length > 0; depth += 1) {
    const filters = await listSegmentFilters(db, orgId, pending);
    for (const { id, filter } of filters) segments.set(id, filter);
    const inner = filters.flatMap(({ filter }) => (filter === null ? [] : leavesOf(filter)));
    leaves.push(...inner.map(({ leaf }) => leaf));
    pending = segmentsIn(inner.map(({ leaf }) => leaf)).filter((id) => !segments.has(id));
  }
  return { segments, sequences: await resolveSequences(db, orgId, leaves) };
}

async function resolveSequences(db: Db, orgId: string, leaves: ContactFilter[]): Promise<References['sequences']> {
  const names = leaves.flatMap((leaf) => (leaf.type === 'contacts_affected_by_sequence' ? [leaf.sequence_id] : []));
  if (names.length === 0) return new Map();
  const sequences = await listSequences(db, orgId, [...new Set(names)]);
  const idsOf = (name: string) => {
    const byId = sequences.filter(({ id }) => id === name.toLowerCase());
    return (byId.length > 0 ? byId : sequences.filter(({ custom_id }) => custom_id === name)).map(({ id }) => id);
  };
  return new Map(names.map((name) => [name, idsOf(name)]));
}

const segmentsIn = (leaves: ContactFilter[]): string[] => [
  ...new Set(
    leaves.flatMap((leaf) =>
      leaf.type === 'contact_belongs_to_segment' && isUuid(leaf.segment_id) ? [leaf.segment_id.toLowerCase()] : [],
    ),
  ),
];

const leavesOf = (filter: CompositeFilter) =>
  filter.or.flatMap(({ and }, group) => and.map((leaf, index) => ({ leaf, place: `or.${group}.and.${index}` })));

/** Normalizes phone numbers to E.164, as stored, so that a filter finds them in any spelling. */
const withPhoneNumbers = (filter: CompositeFilter, country: string | undefined): CompositeFilter => ({
  or: filter.or.map(({ and }) => ({
    and: and.map((leaf) =>
      leaf.type === 'contacts_phone_number_in'
        ? { ...leaf, phone_number_in: leaf.phone_number_in.map((text) => toE164(text, country) ?? text) }
        : leaf,
    ),
  })),
});
