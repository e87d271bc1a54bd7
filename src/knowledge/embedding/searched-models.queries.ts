import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { ModelSource } from './table.ts';

/** A model whose vectors an org's questions are compared with. */
export interface SearchedModel {
  model: string;
  source: ModelSource | null;
}

export const findSearchedModel = (db: Db, orgId: string): Promise<SearchedModel | undefined> =>
  db.selectFrom('knowledge_searched_models').select(['model', 'source']).where('org_id', '=', orgId).executeTakeFirst();

/** Has an org's questions compared with the vectors of a model from now on. Returns whether it was another one before. */
export async function upsertSearchedModel(trx: Trx, orgId: string, { model, source }: SearchedModel): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into knowledge_searched_models (org_id, model, source)
    values (${orgId}, ${model}, ${source === null ? null : JSON.stringify(source)}::jsonb)
    on conflict (org_id) do update set model = excluded.model, source = excluded.source, since = now()
    where knowledge_searched_models.model <> excluded.model
      or knowledge_searched_models.source is distinct from excluded.source
  `.execute(trx);
  return numAffectedRows > 0n;
}

/** Deletes some vectors of an org by other models than the one that its questions are compared with. Returns their number. */
export async function deleteOtherVectors(db: Db, orgId: string, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from knowledge_embeddings as old using (
      select vector.chunk_id, vector.model
      from knowledge_embeddings as vector join knowledge_searched_models as searched using (org_id)
      where vector.org_id = ${orgId} and vector.model <> searched.model
      limit ${limit}
    ) as other
    where old.org_id = ${orgId} and old.chunk_id = other.chunk_id and old.model = other.model
  `.execute(db);
  return Number(numAffectedRows);
}

/** Returns the next orgs with knowledge whose questions are not compared with the vectors of a model, by id. */
export async function listOrgsWithout(
  db: Db,
  model: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select org.id from orgs as org
    where org.id > ${after}::uuid
      and exists (select from knowledge_items where org_id = org.id)
      and not exists (select from knowledge_searched_models where org_id = org.id and model = ${model})
    order by org.id limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}
