import { type Expression, type NotNull, type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';

/** Returns whether the org assigns policies to sessions, or some of these are under one. */
export async function mayChangePolicies(db: Db, orgId: string, sessionIds: string[]): Promise<boolean> {
  const { rows } = await sql<{ may_change: boolean }>`
    select exists (select from sla_policies where org_id = ${orgId} and assignment is not null)
      or exists (select from session_slas where org_id = ${orgId} and session_id = any(${sessionIds}::uuid[])) as may_change
  `.execute(db);
  return rows[0]?.may_change === true;
}

/** Locks the existing ones of these sessions, in order of id, and returns their ids. */
export async function lockSessions(trx: Trx, orgId: string, ids: string[]): Promise<string[]> {
  const sessions = await trx
    .selectFrom('sessions')
    .select('id')
    .where('org_id', '=', orgId)
    .where(sql<SqlBool>`id = any(${ids}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return sessions.map(({ id }) => id);
}

/** The conditions for sessions. Null matches all. */
export interface SessionConditions {
  teams: string[] | null;
  channels: string[] | null;
  tagKeys: string[] | null;
  /** A condition on a row named `contacts`. */
  contacts: Expression<SqlBool> | null;
}

/** Returns those of the sessions that meet all conditions. */
export async function listMatchingSessions(
  db: Db,
  orgId: string,
  ids: string[],
  { teams, channels, tagKeys, contacts }: SessionConditions,
): Promise<string[]> {
  const sessions = await db
    .selectFrom('sessions as session')
    .select('session.id')
    .where('session.org_id', '=', orgId)
    .where(sql<SqlBool>`session.id = any(${ids}::uuid[])`)
    .$if(teams !== null, (query) => query.where(sql<SqlBool>`session.team_id = any(${teams}::uuid[])`))
    .$if(channels !== null, (query) => query.where(sql<SqlBool>`session.channel = any(${channels}::text[])`))
    .$if(tagKeys !== null, (query) =>
      query.where(sql<SqlBool>`exists (
        select from session_tags as given where given.org_id = session.org_id and given.session_id = session.id
          and given.tag_key = any(${tagKeys}::text[])
      )`),
    )
    .$if(contacts !== null, (query) =>
      query.where(sql<SqlBool>`exists (
        select from contacts where contacts.org_id = session.org_id and contacts.id = session.contact_id and ${contacts}
      )`),
    )
    .execute();
  return sessions.map(({ id }) => id);
}

/**
 * Puts sessions under a policy: those that were under none since the given time, but not since before the policy was
 * made. Returns those previously under another policy or none.
 */
export async function upsertSessionPolicies(
  trx: Trx,
  orgId: string,
  policyId: string,
  sessions: { id: string; since: Date }[],
): Promise<string[]> {
  const { rows } = await sql<{ session_id: string }>`
    insert into session_slas (org_id, session_id, policy_id, applied_at)
    select policy.org_id, session.id, policy.id, greatest(session.since, policy.created_at)
    from jsonb_to_recordset(${JSON.stringify(sessions)}::jsonb) as session (id uuid, since timestamptz)
    join sla_policies as policy on policy.org_id = ${orgId} and policy.id = ${policyId}
    on conflict (org_id, session_id) do update set policy_id = excluded.policy_id, next_at = now()
      where session_slas.policy_id <> excluded.policy_id
    returning session_id
  `.execute(trx);
  return rows.map(({ session_id }) => session_id);
}

/** Removes the policies of sessions. Returns the sessions with a policy before. */
export async function deleteSessionPolicies(trx: Trx, orgId: string, sessionIds: string[]): Promise<string[]> {
  const rows = await trx
    .deleteFrom('session_slas')
    .where('org_id', '=', orgId)
    .where(sql<SqlBool>`session_id = any(${sessionIds}::uuid[])`)
    .returning('session_id')
    .execute();
  return rows.map(({ session_id }) => session_id);
}

/** Returns open sessions of the org in order of id. */
export async function listOpenSessions(
  db: Db,
  orgId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const sessions = await db
    .selectFrom('sessions')
    .select('id')
    .where('org_id', '=', orgId)
    .where('status', '=', sql.lit('open'))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return sessions.map(({ id }) => id);
}

/** Returns the open sessions of these contacts, each with its contact. */
export const listOpenSessionsOfContacts = (db: Db, orgId: string, contactIds: string[]) =>
  db
    .selectFrom('sessions')
    .select(['id', 'contact_id'])
    .where('org_id', '=', orgId)
    .where('contact_id', '=', sql<string>`any(${contactIds}::uuid[])`)
    .where('status', '=', sql.lit('open'))
    .$narrowType<{ contact_id: NotNull }>()
    .execute();

/** Returns the open sessions of the same contacts as these sessions, each with the session whose contact it has. */
export const listOpenSessionsBeside = (db: Db, orgId: string, sessionIds: string[]) =>
  db
    .selectFrom('sessions as session')
    .innerJoin('sessions as other', (join) =>
      join.onRef('other.org_id', '=', 'session.org_id').onRef('other.contact_id', '=', 'session.contact_id'),
    )
    .select(['other.id', 'session.id as beside_id'])
    .where('session.org_id', '=', orgId)
    .where('session.id', '=', sql<string>`any(${sessionIds}::uuid[])`)
    .where('other.status', '=', sql.lit('open'))
    .whereRef('other.id', '<>', 'session.id')
    .execute();

/** Lists the open sessions under one of these policies that have no contact. */
export async function listSessionsWithoutContact(db: Db, orgId: string, policyIds: string[]): Promise<string[]> {
  const sessions = await db
    .selectFrom('session_slas as sla')
    .innerJoin('sessions as session', (join) =>
      join.onRef('session.org_id', '=', 'sla.org_id').onRef('session.id', '=', 'sla.session_id'),
    )
    .select('session.id')
    .where('sla.org_id', '=', orgId)
    .where('sla.policy_id', '=', sql<string>`any(${policyIds}::uuid[])`)
    .where('sla.is_over', '=', false)
    .where('session.contact_id', 'is', null)
    .where('session.status', '=', sql.lit('open'))
    .execute();
  return sessions.map(({ id }) => id);
}
