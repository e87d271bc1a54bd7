import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';
import type { LearntTag } from '../../tagging/learning.rules.ts';

/** Records the request of a review. */
export async function upsertRequest(trx: Trx, orgId: string): Promise<void> {
  await sql`
    insert into insight_reviews (org_id) values (${orgId}) on conflict (org_id) do update set requested_at = now()
  `.execute(trx);
}

/** Counts the requests of the last hours without a later end of a review, of all orgs. */
export async function countUnfinished(db: Db, hours: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from insight_reviews
    where requested_at > coalesce(reviewed_at, '-infinity') and requested_at > now() - ${hours}::integer * interval '1 hour'
  `.execute(db);
  return onlyRow({ rows }).count;
}

/** Lists orgs with insights and without a request of the last week. The longest waiting come first. */
export async function listDueOrgs(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select counter.org_id as id from insight_counters as counter
    left join insight_reviews as done on done.org_id = counter.org_id
    where done.org_id is null or done.requested_at <= now() - interval '7 days'
    order by done.requested_at nulls first, counter.org_id limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Lists the latest statements of insights with a category given by people. */
export async function listCategorizedTexts(
  db: Db,
  orgId: string,
  limit: number,
): Promise<{ text: string; category: string }[]> {
  const { rows } = await sql<{ text: string; category: string }>`
    select said.content as text, insight.category from insights as insight
    join insight_statements as said on said.org_id = insight.org_id and said.insight_id = insight.id
    where insight.org_id = ${orgId} and insight.category_by = 'person' and insight.category is not null
    order by said.said_at desc, said.id desc limit ${limit}
  `.execute(db);
  return rows;
}

/** Stores the knowledge learnt by a review. */
export async function upsertLearnt(
  db: Db,
  orgId: string,
  { tags, model }: { tags: LearntTag[]; model: Uint8Array },
): Promise<void> {
  await sql`
    insert into insight_reviews (org_id, tags, model)
    values (${orgId}, ${JSON.stringify(tags)}::jsonb, ${Buffer.from(model)})
    on conflict (org_id) do update set tags = excluded.tags, model = excluded.model
  `.execute(db);
}

/** Records the end of a review. */
export const updateReviewed = (db: Db, orgId: string) =>
  db
    .updateTable('insight_reviews')
    .set({ reviewed_at: sql<Date>`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .execute();

export const findReview = (db: Db, orgId: string) =>
  db
    .selectFrom('insight_reviews')
    .select(['tags', 'model', 'requested_at', 'reviewed_at'])
    .where('org_id', '=', orgId)
    .executeTakeFirst();

/** Lists insights after an id without a category set by a person, each with some of its latest statements. */
export async function listUncategorized(
  db: Db,
  orgId: string,
  { after, limit, statements }: { after: string; limit: number; statements: number },
): Promise<{ id: string; text: string }[]> {
  const { rows } = await sql<{ id: string; text: string }>`
    select insight.id, (
      select string_agg(content, E'\n') from (
        select content from insight_statements
        where org_id = ${orgId} and insight_id = insight.id order by said_at desc, id desc limit ${statements}
      ) as said
    ) as text
    from insights as insight
    where org_id = ${orgId} and id > ${after} and merged_into is null and category_by is distinct from 'person' and occurrence_count > 0
    order by id limit ${limit}
  `.execute(db);
  return rows;
}

/** Gives insights their categories. Those set by people meanwhile stay. Returns how many were changed. */
export async function updateCategories(
  db: Db,
  orgId: string,
  insights: { id: string; category: string | null }[],
): Promise<number> {
  const { numAffectedRows } = await sql`
    update insights as insight set category = made.category, category_by = case when made.category is null then null else 'classifier' end,
      updated_at = now()
    from jsonb_to_recordset(${JSON.stringify(insights)}::jsonb) as made (id uuid, category text)
    where org_id = ${orgId} and insight.id = made.id and category_by is distinct from 'person' and insight.category is distinct from made.category
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Lists the sums of the insights with the most sessions, and of those merged into them, in the org's space. */
export async function listSums(
  db: Db,
  orgId: string,
  limit: number,
): Promise<{ root_id: string; number: number; space: string; sum: Buffer; vectors: number }[]> {
  const { rows } = await sql<{ root_id: string; number: number; space: string; sum: Buffer; vectors: number }>`
    select root.id as root_id, root.number, centroid.space, centroid.sum, centroid.vectors from (
      select id, number from insights where org_id = ${orgId} and merged_into is null and status <> 'archived'
      order by occurrence_count desc, number limit ${limit}
    ) as root
    join insights as insight on insight.org_id = ${orgId} and insight.root_id = root.id
    join insight_spaces as space on space.org_id = ${orgId}
    join insight_centroids as centroid on centroid.org_id = ${orgId} and centroid.insight_id = insight.id and centroid.space = space.space
    where centroid.vectors > 0
  `.execute(db);
  return rows;
}

export interface NewProposal {
  id: string;
  insight_id: string;
  other_id: string;
  similarity: number;
}

/** Stores proposals. Earlier ones keep their decision. Returns the number of new ones. */
export async function upsertProposals(db: Db, orgId: string, proposals: NewProposal[]): Promise<number> {
  const { rows } = await sql<{ is_new: boolean }>`
    insert into insight_proposals as known (org_id, id, insight_id, other_id, similarity)
    select ${orgId}::uuid, id, insight_id, other_id, similarity
    from jsonb_to_recordset(${JSON.stringify(proposals)}::jsonb) as made (id uuid, insight_id uuid, other_id uuid, similarity float8)
    on conflict (org_id, insight_id, other_id) do update set similarity = excluded.similarity
    returning known.xmax = 0 as is_new
  `.execute(db);
  return rows.filter(({ is_new }) => is_new).length;
}

interface ProposedInsight {
  id: string;
  number: number;
  content: string;
}

interface ProposalRow {
  id: string;
  similarity: number;
  created_at: Date;
  insight: ProposedInsight;
  other: ProposedInsight;
}

/** SQL: an org's proposals in the API's format, to be narrowed down. */
const selectProposals = (orgId: string) => sql`
  select proposal.id, proposal.similarity, proposal.created_at,
    jsonb_build_object('id', insight.id, 'number', insight.number, 'content', insight.content) as insight,
    jsonb_build_object('id', other.id, 'number', other.number, 'content', other.content) as other
  from insight_proposals as proposal
  join insights as insight on insight.org_id = proposal.org_id and insight.id = proposal.insight_id
  join insights as other on other.org_id = proposal.org_id and other.id = proposal.other_id
  where proposal.org_id = ${orgId}`;

/** Lists open proposals: neither dismissed nor of an insight archived or part of another one. The most alike first. */
export async function listProposals(db: Db, orgId: string, limit: number): Promise<ProposalRow[]> {
  const { rows } = await sql<ProposalRow>`
    ${selectProposals(orgId)} and proposal.dismissed_at is null and insight.merged_into is null and other.merged_into is null
      and insight.status <> 'archived' and other.status <> 'archived'
    order by proposal.similarity desc, proposal.id limit ${limit}
  `.execute(db);
  return rows;
}

/** Finds a proposal, dismissed or not. */
export async function findProposal(db: Db, orgId: string, id: string): Promise<ProposalRow | undefined> {
  const { rows } = await sql<ProposalRow>`${selectProposals(orgId)} and proposal.id = ${id}`.execute(db);
  return rows[0];
}

/** Dismisses a proposal. A dismissed one stays unchanged. */
export const dismiss = (db: Db, orgId: string, id: string) =>
  db
    .updateTable('insight_proposals')
    .set({ dismissed_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('dismissed_at', 'is', null)
    .execute();
