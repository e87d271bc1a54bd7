import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { itemsOfDeletedDatasources } from '../deleted-datasources.queries.ts';

/** A title or heading of a public item. */
export interface ItemHeading {
  item_id: string;
  heading: string;
}

/**
 * Lists titles and headings of an org's public items, at most `limit`. The choice among more is always the same, and
 * spread over all items.
 */
export async function listHeadings(db: Db, orgId: string, limit: number): Promise<ItemHeading[]> {
  const { rows } = await sql<ItemHeading>`
    select item_id, heading from (
      select distinct chunk.item_id, chunk.path[cardinality(chunk.path)] as heading
      from knowledge_items as item join knowledge_chunks as chunk on chunk.org_id = item.org_id and chunk.item_id = item.id
      where item.org_id = ${orgId} and item.visibility = 'public' and cardinality(chunk.path) > 0
        and item.id not in (${itemsOfDeletedDatasources(orgId)})
    ) as named
    where char_length(heading) between 3 and 200
    order by md5(item_id::text || heading), item_id, heading limit ${limit}
  `.execute(db);
  return rows;
}
