import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { type CreatedWithin, countCreated, inIdOrder, type KeysetPage } from '../../db/keyset.ts';
import { lockName } from '../../db/locks.ts';
import { onlyRow } from '../../db/rows.ts';
import type { CreateTraining, UpdateTraining } from './schema.ts';

const COLUMNS = [
  'id',
  'title',
  'content',
  'type',
  'is_draft',
  'visibility',
  'directory_id',
  'restricted_to_channels',
  'restricted_to_segments',
  'learned_from_session_id',
  'created_at',
  'updated_at',
] as const;

/** A draft has no published version. Its text is the one that is edited. */
const SHOWN = [
  ...COLUMNS,
  sql<number | null>`case when not is_draft then nullif(version, 0) end`.as('current_version'),
  sql<Date | null>`case when not is_draft then published_at end`.as('published_at'),
  sql<string | null>`case when is_draft then title end`.as('draft_title'),
  sql<string | null>`case when is_draft then content end`.as('draft_content'),
] as const;

export type TrainingItem = NonNullable<Awaited<ReturnType<typeof findTraining>>>;

/** Locks the org's always active items against concurrent changes, so that they can be counted. */
export async function lockInstructions(trx: Trx, orgId: string): Promise<void> {
  await lockName(trx, `instructions ${orgId}`);
}

export function insertTraining(
  db: Db,
  orgId: string,
  id: string,
  training: CreateTraining & { learned_from_session_id?: string },
) {
  return db
    .insertInto('training_items')
    .values({ org_id: orgId, id, ...training })
    .returning(SHOWN)
    .executeTakeFirstOrThrow();
}

export function findTraining(db: Db, orgId: string, id: string) {
  return db
    .selectFrom('training_items')
    .select(SHOWN)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Changes an item. Each state has another `updated_at`, also of transactions that began at once. */
export function updateTraining(db: Db, orgId: string, id: string, changes: UpdateTraining) {
  return db
    .updateTable('training_items')
    .set({ ...changes, updated_at: sql<Date>`greatest(now(), updated_at + interval '1 millisecond')` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(SHOWN)
    .executeTakeFirst();
}

/** Locks an item until the transaction ends. */
export const lockTraining = (trx: Trx, orgId: string, id: string) =>
  trx
    .selectFrom('training_items')
    .select(['type', 'visibility', 'updated_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

export async function deleteTraining(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('training_items')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes the drafts that were learned from sessions and never published. Returns their ids. */
export async function deleteLearnedDrafts(trx: Trx, orgId: string, sessionIds: string[]): Promise<string[]> {
  const deleted = await trx
    .deleteFrom('training_items')
    .where('org_id', '=', orgId)
    .where('learned_from_session_id', '=', sql<string>`any(${sessionIds}::uuid[])`)
    .where('is_draft', '=', true)
    .where('version', '=', 0)
    .returning('id')
    .execute();
  return deleted.map(({ id }) => id);
}

/** Returns a page of the org's or a directory's training by creation. */
export const listTraining = (db: Db, orgId: string, directoryId: string | undefined, page: PageRequest) =>
  db
    .selectFrom('training_items')
    .select(SHOWN)
    .where('org_id', '=', orgId)
    .$call((query) => (directoryId === undefined ? query : query.where('directory_id', '=', directoryId)))
    .$call(orderedByCreation(page))
    .execute();

const instructions = (db: Db, orgId: string) =>
  db
    .selectFrom('training_items')
    .where('org_id', '=', orgId)
    .where('type', '=', sql.lit('BEHAVIORAL'))
    .where(sql<SqlBool>`not is_draft`);

/**
 * Returns the always active items, oldest first: all of them, or only those allowed on the channel and for members of
 * the segments.
 */
export function listInstructions(
  db: Db,
  orgId: string,
  { channel, segments }: { channel?: string | undefined; segments?: string[] | undefined },
) {
  const isFor = (column: string, values: string[]) =>
    sql<SqlBool>`(${sql.ref(column)} = '{}' or ${sql.ref(column)} && ${values}::text[])`;
  return instructions(db, orgId)
    .select(['id', 'title', 'content'])
    .$call((query) => (channel === undefined ? query : query.where(isFor('restricted_to_channels', [channel]))))
    .$call((query) => (segments === undefined ? query : query.where(isFor('restricted_to_segments', segments))))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Counts the always active items, and the characters of those that apply together on the channel with the most. */
export async function measureInstructions(db: Db, orgId: string): Promise<{ count: number; characters: number }> {
  return onlyRow(
    await sql<{ count: number; characters: number }>`
      with items as materialized (${instructions(db, orgId).select(['title', 'content', 'restricted_to_channels'])}),
      sizes as (
        select channel, sum(char_length(title) + char_length(content)) as characters
        from items left join lateral unnest(restricted_to_channels) as channel on true group by channel
      )
      select (select count(*) from items)::integer as count,
        (coalesce(max(characters) filter (where channel is null), 0)
          + coalesce(max(characters) filter (where channel is not null), 0))::integer as characters
      from sizes`.execute(db),
  );
}

/** Returns the given segments that exist in the org. */
export async function listKnownSegments(db: Db, orgId: string, ids: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('segments')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the segments that training is restricted to. */
export async function listRestrictingSegments(db: Db, orgId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct unnest(restricted_to_segments) as id from training_items where org_id = ${orgId} and not is_draft
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Lists a part of the items in the order of their ids. */
export const listTrainingInOrder = (db: Db, orgId: string, page: KeysetPage) =>
  db
    .selectFrom('training_items')
    .select(SHOWN)
    .where('org_id', '=', orgId)
    .$call(inIdOrder(page, 'training_items'))
    .execute();

export const countTraining = (trx: Trx, orgId: string, created: CreatedWithin): Promise<number> =>
  countCreated(trx, trx.selectFrom('training_items').where('org_id', '=', orgId), { of: 'training_items', created });
