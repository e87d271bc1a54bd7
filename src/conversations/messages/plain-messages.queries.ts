import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { compiledOnce } from '../../db/connections/compiled-once.ts';
import { notifyAfterCommit } from '../../db/transaction.ts';
import { type AnnouncedRow, announcementOf, announcing } from '../../outbox/announcing.ts';
import { CONTACT_ACTOR, changesBy } from '../events.queries.ts';
import { LIVE_CHANNEL } from '../live/rules.ts';

/** SQL: whether the session's last event had been committed on this server when the statement began. */
const SEES_LAST_EVENT = sql`pg_visible_in_snapshot(public.xid_of_position(last_event_xid), pg_current_snapshot())`;

interface PlainMessage {
  orgId: string;
  sessionId: string;
  /** Made for this message. */
  id: string;
  text: string;
  /** Whether the text may tell the language of a session without one. */
  mayShowLanguage: boolean;
}

interface PlainAppended {
  is_handed_off: boolean;
  has_autopilot: boolean;
}

/** SQL: conditions about the org and the contact of `session`. */
interface PlainTerms {
  isBlocked(orgId: string): RawBuilder<boolean>;
  hasAutopilot(orgId: string): RawBuilder<boolean>;
}

/** SQL: the announcements of a message, for the row of `session`. */
const eventsOf = (id: string) =>
  announcementOf(sql<AnnouncedRow>`
    select org_id, event.* from session cross join lateral (values
      ('message-created', id, jsonb_build_object('message_id', ${id}::uuid, 'sender', 'contact')),
      ('message-relayed', case when relayed_side in ('agents', 'both') then id end,
        jsonb_build_object('message_id', ${id}::uuid, 'to', 'agents')),
      ('session-activity', case when has_sla then id end, '{}'),
      ('contact-replied', contact_id, jsonb_build_object('channel', channel))
    ) as event (type, subject_id, payload)
    where event.subject_id is not null`);

/**
 * Returns a function to append a contact's message to its session and announce it, like `changeSession`, but in one
 * statement with its own lock on the session. It does so only if nothing else follows from the message: the session is
 * open and not snoozed, its language stays the same, the contact is not blocked, and the message is no e-mail, as those
 * may quote others. Otherwise it changes nothing and returns undefined. It does the same if an event was committed
 * after the statement began: the statement does not see the rest of the other transaction, and the order of the org's
 * events may need a newer snapshot.
 */
export function plainAppender({ isBlocked, hasAutopilot }: PlainTerms) {
  const statement = compiledOnce<PlainMessage, PlainAppended>(
    ({ orgId, sessionId, id, text, mayShowLanguage }) => sql<PlainAppended>`
      with session as (
        update sessions as session set ${changesBy([{ type: 'message', sender: 'contact' }])}
        where org_id = ${orgId} and id = ${sessionId} and status = 'open' and snoozed_at is null and channel <> 'email' and ${SEES_LAST_EVENT}
          and (language is not null or not ${mayShowLanguage}::boolean) and not ${isBlocked(orgId)}
        returning org_id, id, contact_id, channel, language, relayed_side, has_sla, handoff, last_seq, last_event_xid
      ), appended as (
        insert into session_events (org_id, session_id, seq, id, type, sender, content, actor, xid, language)
        select org_id, id, last_seq, ${id}::uuid, 'message', 'contact', ${text}, ${CONTACT_ACTOR},
          last_event_xid, language from session
      ), announced as (${eventsOf(id)}
      )
      select handoff is not null as is_handed_off, ${hasAutopilot(orgId)} as has_autopilot from session
    `,
  );
  return async (db: Db, message: PlainMessage): Promise<PlainAppended | undefined> => {
    const { rows } = await announcing(db, db.executeQuery(statement(db, message)));
    const [appended] = rows;
    if (appended !== undefined) notifyAfterCommit(db, LIVE_CHANNEL, `${message.orgId}/${message.sessionId}`);
    return appended;
  };
}
