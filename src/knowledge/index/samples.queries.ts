import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { itemsOfDeletedDatasources } from '../deleted-datasources.queries.ts';

/** A passage of a public item. */
export interface PassageSample {
  item_id: string;
  content: string;
}

/**
 * Lists passages of an org's public items, at most `limit`. The choice among more is always the same, and spread over all
 * items.
 */
export async function listSamples(db: Db, orgId: string, limit: number): Promise<PassageSample[]> {
  const { rows } = await sql<PassageSample>`
    with chosen as (
      select chunk.id, row_number() over (order by md5(chunk.item_id::text || chunk.position), chunk.id) as place
      from knowledge_items as item join knowledge_chunks as chunk on chunk.org_id = item.org_id and chunk.item_id = item.id
      where item.org_id = ${orgId} and item.visibility = 'public' and item.id not in (${itemsOfDeletedDatasources(orgId)})
      order by place limit ${limit}
    )
    select chunk.item_id, chunk.content from chosen join knowledge_chunks as chunk on chunk.org_id = ${orgId} and chunk.id = chosen.id
    order by chosen.place
  `.execute(db);
  return rows;
}
