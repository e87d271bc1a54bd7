import { type NotNull, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { onlyRow } from '../db/rows.ts';
import type { LearntTag } from './learning.rules.ts';

/** Finds what is known about an org's tags, without the model itself. */
export const findTagReport = (db: Db, orgId: string) =>
  db
    .selectFrom('ai_tag_models')
    .select(['sessions', 'tags', 'requested_at', 'learnt_at'])
    .where('org_id', '=', orgId)
    .executeTakeFirst();

/** Finds when an org's model was learnt. Undefined before the first. */
export async function findModelTime(db: Db, orgId: string): Promise<Date | undefined> {
  const row = await db.selectFrom('ai_tag_models').select('learnt_at').where('org_id', '=', orgId).executeTakeFirst();
  return row?.learnt_at ?? undefined;
}

/** Finds an org's model with its tags. Undefined before the first. */
export const findModel = (db: Db, orgId: string) =>
  db
    .selectFrom('ai_tag_models')
    .select(['model', 'tags', 'learnt_at'])
    .where('org_id', '=', orgId)
    .where('learnt_at', 'is not', null)
    .$narrowType<{ model: NotNull; tags: NotNull; learnt_at: NotNull }>() // they are stored together
    .executeTakeFirst();

export async function upsertModel(
  db: Db,
  orgId: string,
  { sessions, tags, model }: { sessions: number; tags: LearntTag[]; model: Uint8Array },
): Promise<void> {
  await sql`
    insert into ai_tag_models (org_id, sessions, tags, model, learnt_at)
    values (${orgId}, ${sessions}, ${JSON.stringify(tags)}::jsonb, ${Buffer.from(model)}, clock_timestamp())
    on conflict (org_id) do update
    set sessions = excluded.sessions, tags = excluded.tags, model = excluded.model, learnt_at = excluded.learnt_at
  `.execute(db);
}

/** Notes that learning was requested. */
export async function upsertRequest(trx: Trx, orgId: string): Promise<void> {
  await sql`
    insert into ai_tag_models (org_id) values (${orgId}) on conflict (org_id) do update set requested_at = now()
  `.execute(trx);
}

/** Counts the requests of the last hours that nothing was learnt after, of all orgs. */
export async function countUnfinished(db: Db, hours: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ai_tag_models
    where requested_at > coalesce(learnt_at, '-infinity') and requested_at > now() - ${hours}::integer * interval '1 hour'
  `.execute(db);
  return onlyRow({ rows }).count;
}

/** Lists those of the orgs without a request of the last day, at most `limit`. Those that have waited longest come first. */
export async function listDueOrgs(db: Db, orgIds: string[], limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select org.id from unnest(${orgIds}::uuid[]) as org (id)
    left join ai_tag_models as done on done.org_id = org.id
    where done.org_id is null or done.requested_at <= now() - interval '1 day'
    order by done.requested_at nulls first, org.id limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

export interface Suggestion {
  session_id: string;
  tag_key: string;
  score: number;
}

/** Replaces the learnt suggestions of these sessions. Those of tags and sessions that no longer exist are left out. */
export async function replaceSuggestions(
  trx: Trx,
  orgId: string,
  sessionIds: string[],
  suggestions: Suggestion[],
): Promise<void> {
  await sql`
    delete from ai_tag_suggestions where org_id = ${orgId} and session_id = any(${sessionIds}::uuid[]) and model is null
  `.execute(trx);
  if (suggestions.length === 0) return;
  await sql`
    insert into ai_tag_suggestions (org_id, session_id, tag_key, score)
    select ${orgId}::uuid, session_id, tag_key, score
    from jsonb_to_recordset(${JSON.stringify(suggestions)}::jsonb) as made (session_id uuid, tag_key text, score float8)
    where exists (select from sessions where org_id = ${orgId} and id = made.session_id)
      and exists (select from tags where org_id = ${orgId} and tag_key = made.tag_key)
    on conflict do nothing
  `.execute(trx);
}

/** Replaces what models suggested for a session. Tags and sessions that no longer exist are left out. */
export async function replaceModelSuggestions(
  trx: Trx,
  orgId: string,
  sessionId: string,
  { tagKeys, model }: { tagKeys: string[]; model: string },
): Promise<void> {
  await sql`
    delete from ai_tag_suggestions where org_id = ${orgId} and session_id = ${sessionId} and model is not null
  `.execute(trx);
  await sql`
    insert into ai_tag_suggestions (org_id, session_id, tag_key, model)
    select tags.org_id, sessions.id, tags.tag_key, ${model}
    from tags join sessions on sessions.org_id = tags.org_id and sessions.id = ${sessionId}
    where tags.org_id = ${orgId} and tags.tag_key = any(${tagKeys}::text[])
    on conflict do nothing
  `.execute(trx);
}

/** Lists the suggestions of a session, the surest first, and then those of models. */
export const listSuggestions = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('ai_tag_suggestions')
    .select(['tag_key', 'score', 'model', 'created_at'])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .orderBy('score', (order) => order.desc().nullsLast())
    .orderBy('tag_key')
    .execute();
