import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';
import { type AnnouncedRow, announcementOf, announcing } from '../../outbox/announcing.ts';
import { CONTACT_ACTOR, changesBy } from '../events.queries.ts';

/** A contact's message that begins the history of a session. */
export interface FirstEvent {
  session_id: string;
  id: string;
  content: string;
  /** The contact's own words in it, if not the whole content. */
  own_words: string | undefined;
  data: object;
}

/** SQL: the announcements of messages, for the rows of `session`. */
const ANNOUNCED = announcementOf(sql<AnnouncedRow>`
  select org_id, event.* from session cross join lateral (values
    ('message-created', id, jsonb_build_object('message_id', message_id, 'sender', 'contact')),
    ('contact-replied', contact_id, jsonb_build_object('channel', channel))
  ) as event (type, subject_id, payload)`);

/**
 * Appends contacts' messages to sessions that this transaction has opened for them, and announces them, like
 * `changeSession`: nobody else relays for these sessions, and no SLA policy is assigned to them yet.
 */
export async function appendFirstMessages(trx: Trx, orgId: string, messages: FirstEvent[]): Promise<void> {
  const ids = messages.map(({ session_id }) => session_id);
  const statement = sql`
    with message as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb)
        as message (session_id uuid, id uuid, content text, own_words text, data jsonb)
    ), session as (
      update sessions as session set ${changesBy([{ type: 'message', sender: 'contact' }])}
      from message where session.org_id = ${orgId} and session.id = any(${ids}::uuid[]) and session.id = message.session_id
      returning session.org_id, session.id, session.contact_id, session.channel, session.language, session.last_seq,
        session.last_event_xid, message.id as message_id, message.content, message.own_words, message.data
    ), appended as (
      insert into session_events (org_id, session_id, seq, id, type, sender, content, own_words, data, actor, xid, language)
      select org_id, id, last_seq, message_id, 'message', 'contact', content, own_words, data, ${CONTACT_ACTOR}, last_event_xid, language
      from session
    )
    ${ANNOUNCED}
  `;
  await announcing(trx, statement.execute(trx));
}
