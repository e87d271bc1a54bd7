import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/** The size of an org's index, to compare it with later. */
export interface IndexSize {
  passages: number;
  /** The id of the latest passage. */
  last_chunk: number;
}

/** How much an org's index has changed since it had a size. */
export interface IndexChange {
  org_id: string;
  added: number;
  removed: number;
}

const passages = sql`(select coalesce(sum(chunks), 0) from knowledge_items where org_id = org.id)`;

export async function selectIndexSize(db: Db, orgId: string): Promise<IndexSize> {
  const { rows } = await sql<IndexSize>`
    select ${passages}::int as passages,
      coalesce((select max(id) from knowledge_chunks where org_id = org.id), 0)::float8 as last_chunk
    from (values (${orgId}::uuid)) as org (id)
  `.execute(db);
  return rows[0] ?? { passages: 0, last_chunk: 0 };
}

export async function selectIndexChanges(db: Db, since: (IndexSize & { org_id: string })[]): Promise<IndexChange[]> {
  const { rows } = await sql<IndexChange>`
    select org.id as org_id, added.count::int as added, greatest(org.passages + added.count - ${passages}, 0)::int as removed
    from unnest(
      ${since.map(({ org_id }) => org_id)}::uuid[], ${since.map((one) => one.passages)}::int[],
      ${since.map(({ last_chunk }) => last_chunk)}::bigint[]
    ) as org (id, passages, last_chunk), lateral (
      select count(*) as count from knowledge_chunks where org_id = org.id and id > org.last_chunk
    ) as added
  `.execute(db);
  return rows;
}
