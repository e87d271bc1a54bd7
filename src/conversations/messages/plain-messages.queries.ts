import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { compiledOnce } from '../../db/connections/compiled-once.ts';
import { type AnnouncedRow, announcementOf } from '../../outbox/announcing.ts';
import { CONTACT_ACTOR, changesBy } from '../events.queries.ts';

/** SQL: whether the session's last event had been committed on this server when the statement began. */
const SEES_LAST_EVENT = sql`pg_visible_in_snapshot(public.xid_of_position(last_event_xid), pg_current_snapshot())`;

/** A contact's message. Only its text is known. */
export interface PlainMessage {
  sessionId: string;
  /** Made for this message. */
  id: string;
  text: string;
  /** Whether the text may tell the language of a session without one. */
  mayShowLanguage: boolean;
  /** The language of a session without one, if the text has told it and is the session's first. */
  language: string | null;
}

export interface PlainAppended {
  session_id: string;
  message_id: string;
  is_handed_off: boolean;
  has_autopilot: boolean;
}

/** SQL: conditions about the org and the contact of `session`. */
interface PlainTerms {
  isBlocked(orgId: string): RawBuilder<boolean>;
  hasAutopilot(orgId: string): RawBuilder<boolean>;
}

/** SQL: whether `session` takes a `message` so simply, and leaves its language or gets its first one. */
const TAKES_PLAIN = sql`
  session.status = 'open' and session.snoozed_at is null and session.channel <> 'email' and ${SEES_LAST_EVENT}
  and (session.language is not null or not message."mayShowLanguage" or (session.last_seq = 0 and message.language is not null))`;

/** SQL: the announcements of messages, for the rows of `session`. */
const ANNOUNCED = announcementOf(sql<AnnouncedRow>`
  select org_id, event.* from session cross join lateral (values
    ('message-created', id, jsonb_build_object('message_id', message_id, 'sender', 'contact')),
    ('message-relayed', case when relayed_side in ('agents', 'both') then id end,
      jsonb_build_object('message_id', message_id, 'to', 'agents')),
    ('session-activity', case when has_sla then id end, '{}'),
    ('contact-replied', contact_id, jsonb_build_object('channel', channel))
  ) as event (type, subject_id, payload)
  where event.subject_id is not null`);

/**
 * Returns a function to append contacts' messages to different sessions of an org and announce them, like
 * `changeSession`, but in one statement with its own locks. It does so only if nothing else follows from a message: the
 * session is open and not snoozed, its language stays the same or comes with its first event, the contact is not
 * blocked, and the message is no e-mail, as those may quote others. Otherwise it changes nothing, and the message is not
 * among those returned. It does the same if somebody else has locked the session, as others would wait too, and if an
 * event was committed after the statement began: the statement does not see the rest of the other transaction, and the
 * order of the org's events may need a newer snapshot.
 */
export function plainAppender({ isBlocked, hasAutopilot }: PlainTerms) {
  const statement = compiledOnce<{ orgId: string; messages: string }, PlainAppended>(
    ({ orgId, messages }) => sql<PlainAppended>`
      with message as materialized (
        select * from jsonb_to_recordset(${messages}::jsonb)
          as message ("sessionId" uuid, id uuid, text text, "mayShowLanguage" boolean, language text)
      ), locked as materialized (
        select session.id as session_id, message.* from message
        join sessions as session on session.org_id = ${orgId} and session.id = message."sessionId"
        where ${TAKES_PLAIN} and not ${isBlocked(orgId)}
        for no key update of session skip locked
      ), session as (
        update sessions as session set ${changesBy([{ type: 'message', sender: 'contact' }])},
          language = coalesce(session.language, locked.language)
        from locked where session.org_id = ${orgId} and session.id = locked.session_id
        returning session.org_id, session.id, session.contact_id, session.channel, session.language, session.relayed_side,
          session.has_sla, session.handoff, session.last_seq, session.last_event_xid, locked.id as message_id, locked.text
      ), appended as (
        insert into session_events (org_id, session_id, seq, id, type, sender, content, actor, xid, language)
        select org_id, id, last_seq, message_id, 'message', 'contact', text, ${CONTACT_ACTOR}, last_event_xid, language
        from session
      ), announced as (${ANNOUNCED}
      )
      select id as session_id, message_id, handoff is not null as is_handed_off, ${hasAutopilot(orgId)} as has_autopilot
      from session
    `,
  );
  return async (db: Db, orgId: string, messages: PlainMessage[]): Promise<PlainAppended[]> => {
    const { rows } = await db.executeQuery(statement(db, { orgId, messages: JSON.stringify(messages) }));
    return rows;
  };
}
