import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { behindInOrder } from '../../db/cursor.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { SurveyRef } from './contract.ts';

/** A survey of a session. */
export interface SurveyOfSession {
  id: string;
  session_id: string;
}

/**
 * Inserts surveys for the latest resolutions of sessions on these channels, once a resolution. Sessions that were reopened,
 * have no contact, or have their customer's side in another system get none. Returns the inserted ones.
 */
export async function insertSurveys(
  trx: Trx,
  orgId: string,
  surveys: SurveyOfSession[],
  { channels, delayMinutes }: { channels: SessionChannel[]; delayMinutes: number },
): Promise<SurveyOfSession[]> {
  const { rows } = await sql<SurveyOfSession>`
    insert into csat_surveys (org_id, id, session_id, resolution, due_at)
    select session.org_id, asked.id, session.id, session.resolutions, now() + ${delayMinutes}::integer * interval '1 minute'
    from jsonb_to_recordset(${JSON.stringify(surveys)}::jsonb) as asked (id uuid, session_id uuid)
    join sessions as session on session.org_id = ${orgId} and session.id = asked.session_id
    where session.status = 'closed_resolved' and session.contact_id is not null and session.channel = any(${channels}::text[])
      and (session.relayed_side is null or session.relayed_side = 'agents')
    on conflict do nothing
    returning id, session_id
  `.execute(trx);
  return rows;
}

/** Finds the session of a survey that is still to be sent. */
export const findPendingSurvey = (db: Db, { orgId, surveyId }: SurveyRef) =>
  db
    .selectFrom('csat_surveys')
    .select(['session_id', 'resolution'])
    .select(sql<number>`(extract(epoch from due_at - clock_timestamp()) * 1000)::double precision`.as('due_in_ms'))
    .where('org_id', '=', orgId)
    .where('id', '=', surveyId)
    .where('state', '=', 'pending')
    .executeTakeFirst();

/** Ends the wait of a survey. */
export const settleSurvey = (trx: Trx, { orgId, surveyId }: SurveyRef, state: 'requested' | 'skipped') =>
  trx
    .updateTable('csat_surveys')
    .set({ state })
    .where('org_id', '=', orgId)
    .where('id', '=', surveyId)
    .where('state', '=', 'pending')
    .execute();

/** Lists surveys of all orgs that are still to be sent, behind a survey. */
export async function listPendingSurveys(db: Db, after: SurveyRef | undefined, limit: number) {
  const { rows } = await sql<SurveyRef & { sessionId: string }>`
    select org_id as "orgId", id as "surveyId", session_id as "sessionId" from csat_surveys
    where state = 'pending' and ${behindInOrder(after?.orgId, after?.surveyId, limit)}
  `.execute(db);
  return rows;
}

/** SQL: whether a `survey` takes an answer now: a first one for 30 days, and changes of it for a day. */
const TAKES_ANSWERS = sql<boolean>`coalesce(given.created_at + interval '24 hours', survey.due_at + interval '30 days') > now()`;

/** Finds a survey that went out, with the answer to it. */
export const findSentSurvey = (db: Db, { orgId, surveyId }: SurveyRef) =>
  db
    .selectFrom('csat_surveys as survey')
    .innerJoin('orgs as org', 'org.id', 'survey.org_id')
    .innerJoin('sessions as session', (join) =>
      join.onRef('session.org_id', '=', 'survey.org_id').onRef('session.id', '=', 'survey.session_id'),
    )
    .leftJoin('csat_scores as given', (join) =>
      join
        .onRef('given.org_id', '=', 'survey.org_id')
        .onRef('given.session_id', '=', 'survey.session_id')
        .onRef('given.resolution', '=', 'survey.resolution'),
    )
    .leftJoin('session_events as event', (join) =>
      join.onRef('event.org_id', '=', 'given.org_id').onRef('event.id', '=', 'given.id'),
    )
    .select(['survey.session_id', 'survey.resolution', 'session.language', 'given.score', 'event.content as comment'])
    .select(['org.language as org_language', TAKES_ANSWERS.as('takes_answers')])
    .where('survey.org_id', '=', orgId)
    .where('survey.id', '=', surveyId)
    .where('survey.state', '=', 'requested')
    .executeTakeFirst();

/** Finds the name and the language of the org that asks. */
export const findAskingOrg = (db: Db, orgId: string) =>
  db.selectFrom('orgs').select(['name', 'language']).where('id', '=', orgId).executeTakeFirstOrThrow();
