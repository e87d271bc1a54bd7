import { type RawBuilder, sql } from 'kysely';
import type { AnnouncedRow, SessionAnnouncement, SessionState } from '../outbox/announcing.ts';
import { TAG_NAMES } from './queries.ts';

/** SQL: the state of `session`. It contains no text for redaction to remove. */
const STATE = sql<SessionState>`jsonb_build_object(
  'status', session.status, 'custom_status_id', session.custom_status_id, 'ai_closure_type', session.ai_closure_type,
  'waiting_on', session.waiting_on, 'assignee_id', session.assignee_id, 'tags', ${TAG_NAMES},
  'team', (
    select jsonb_build_object('id', team.id, 'name', team.name) from teams as team
    where team.org_id = session.org_id and team.id = session.team_id and team.deleted_at is null
  ),
  'handoff', case when session.handoff is not null
    then jsonb_build_object('at', session.handoff -> 'at', 'state', session.handoff -> 'state') end
)`;

/** Returns events as rows, each with the state of its session as of now. */
export const rowsWithState = (orgId: string, events: SessionAnnouncement[]): RawBuilder<AnnouncedRow> => sql`
  select ${orgId}::uuid as org_id, event.type, event.subject_id, event.payload || jsonb_build_object('session', (
    select ${STATE} from sessions as session where session.org_id = ${orgId} and session.id = event.subject_id
  )) as payload
  from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as event (type text, subject_id uuid, payload jsonb)`;
