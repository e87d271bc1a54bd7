import { z } from 'zod';
import type { Trx } from '../../db/connect.ts';
import { type CreatedWithin, pagesById } from '../../db/keyset.ts';
import { NIL_UUID } from '../../ids.ts';
import type { MediaLinks } from '../../media/links.ts';
import { HistoryItem } from '../history/events.schema.ts';
import { historyItemOf } from '../history/service.ts';
import type { EventRow } from '../history/shared.queries.ts';
import { Session } from '../sessions/schema.ts';
import { type EventPosition, listEventsOfSessions, listSessionsInOrder, type SessionRow } from './queries.ts';

export { countSessions } from './queries.ts';

const SESSIONS_PER_PAGE = 100;
/** Texts have up to 100,000 characters. */
const EVENTS_PER_PAGE = 250;

/** A session without the parts specific to a moment or a reader. */
const ExportedSession = Session.omit({ answered_by: true, ai: true, can_send: true, read_up_to: true });

/** A session with a part of its history. A long history comes in several parts. */
export interface ConversationPart {
  session: z.input<typeof ExportedSession>;
  items: z.input<typeof HistoryItem>[];
  isFirst: boolean;
  isLast: boolean;
}

/** Reads all sessions created within these times with their histories, some items at a time. */
export async function* readConversations(
  trx: Trx,
  links: MediaLinks,
  orgId: string,
  created: CreatedWithin,
): AsyncGenerator<ConversationPart> {
  const pages = pagesById(SESSIONS_PER_PAGE, (page) => listSessionsInOrder(trx, orgId, { ...page, ...created }));
  for await (const sessions of pages) {
    const ids = sessions.map(({ id }) => id);
    yield* partsOf(sessions, readEvents(trx, orgId, ids), links);
  }
}

async function* readEvents(trx: Trx, orgId: string, ids: string[]): AsyncGenerator<EventRow> {
  for (let after: EventPosition = { session_id: NIL_UUID, seq: 0 }; ; ) {
    const events = await listEventsOfSessions(trx, orgId, { ids, after, limit: EVENTS_PER_PAGE });
    yield* events;
    const last = events.at(-1);
    if (last === undefined || events.length < EVENTS_PER_PAGE) return;
    after = last;
  }
}

async function* partsOf(
  sessions: SessionRow[],
  events: AsyncGenerator<EventRow>,
  links: MediaLinks,
): AsyncGenerator<ConversationPart> {
  let next = await events.next();
  for (const row of sessions) {
    const session = z.encode(ExportedSession, row);
    let items: ConversationPart['items'] = [];
    let isFirst = true;
    while (next.done !== true && next.value.session_id === row.id) {
      if (items.length === EVENTS_PER_PAGE) {
        yield { session, items, isFirst, isLast: false };
        [items, isFirst] = [[], false];
      }
      items.push(z.encode(HistoryItem, historyItemOf(links, next.value)));
      next = await events.next();
    }
    yield { session, items, isFirst, isLast: true };
  }
}
