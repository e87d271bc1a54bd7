import type { z } from 'zod';
import type { Db, Trx } from '../../db/connect.ts';
import { NotSeen, notFound, refused } from '../../errors.ts';
import type { MediaLinks } from '../../media/links.ts';
import type { StoredAttachment } from '../messages/attachments.service.ts';
import { getSession } from '../sessions/service.ts';
import type { HistoryItem, HistoryPage, ListHistory } from './events.schema.ts';
import { type EventRow, findSeq, listEvents, listLastSeqs, listMessagesAfter } from './shared.queries.ts';

export { listLastSeqs };

type HistoryQuery = ListHistory & { sessionId: string };

/** Returns a page of a session's history in an order, or the items around one. Throws notFound. */
export async function pageOfHistory(
  db: Db,
  links: MediaLinks,
  orgId: string,
  { around, ...query }: HistoryQuery,
): Promise<z.output<typeof HistoryPage>> {
  await getSession(db, orgId, query.sessionId);
  const { rows, ...page } =
    around === undefined ? await readPage(db, orgId, query) : await readAround(db, orgId, { ...query, around });
  return { items: rows.map((row) => historyItemOf(links, row)), ...page };
}

async function readPage(db: Db, orgId: string, { sessionId, order, cursor, limit }: Omit<HistoryQuery, 'around'>) {
  const behind = cursor === undefined ? undefined : Number(cursor);
  const rows = await listEvents(db, orgId, sessionId, { order, behind, limit: limit + 1 });
  return cutTo(limit, rows);
}

/** Reads half of the items before one, then the item itself and the following ones. */
async function readAround(
  db: Db,
  orgId: string,
  { sessionId, order, around, limit }: Omit<HistoryQuery, 'around'> & { around: string },
) {
  const item = await findSeq(db, orgId, { sessionId, itemId: around });
  if (item === undefined) throw notFound('item of the history');
  const [back, step] = order === 'asc' ? (['desc', -1] as const) : (['asc', 1] as const);
  const before = Math.floor(limit / 2);
  const [former, later] = await Promise.all([
    listEvents(db, orgId, sessionId, { order: back, behind: item.seq, limit: before + 1 }),
    listEvents(db, orgId, sessionId, { order, behind: item.seq + step, limit: limit - before + 1 }),
  ]);
  const { rows: earlier, next: previous } = cutTo(before, former);
  const { rows, next } = cutTo(limit - before, later);
  return { rows: [...earlier.toReversed(), ...rows], next, previous: before > 0 ? previous : String(item.seq) };
}

function cutTo(limit: number, rows: EventRow[]): { rows: EventRow[]; next: string | null } {
  const shown = rows.slice(0, limit);
  return { rows: shown, next: rows.length > limit ? String(shown.at(-1)?.seq) : null };
}

/** Returns the position of an item of a session's history, or of its last event. Throws notFound. */
export async function getSeq(
  db: Db,
  orgId: string,
  { sessionId, itemId }: { sessionId: string; itemId: string | undefined },
): Promise<number> {
  const [session] = await listLastSeqs(db, orgId, [sessionId]);
  if (session === undefined) throw notFound('session');
  if (itemId === undefined) return session.last_seq;
  const item = await findSeq(db, orgId, { sessionId, itemId });
  if (item === undefined) throw notFound('item of the history');
  return item.seq;
}

const MAX_NEWER = 50;

/**
 * Throws NotSeen if somebody or the AI has written in a locked session since an event, and invalid if the session has no
 * such event.
 */
export async function assertSeen(
  trx: Trx,
  links: MediaLinks,
  orgId: string,
  { sessionId, lastSeenId }: { sessionId: string; lastSeenId: string },
): Promise<void> {
  const seen = await findSeq(trx, orgId, { sessionId, itemId: lastSeenId });
  if (seen === undefined) throw refused('expected_last_id', 'must be the id of an item of the session’s history');
  const newer = await listMessagesAfter(trx, orgId, sessionId, { seq: seen.seq, limit: MAX_NEWER });
  if (newer.length === 0) return;
  throw new NotSeen('Newer messages were written meanwhile: send again with the id of the last one to send anyway', {
    code: 'newer_messages',
    items: newer.map((row) => historyItemOf(links, row)),
  });
}

/** Returns an event in the API's format, with links to its files. */
export function historyItemOf(
  links: MediaLinks,
  row: EventRow,
): Omit<HistoryItem, 'created_at'> & { created_at: Date } {
  const { id, created_at, actor, type, content, sender } = row;
  const { redacted, ...data } = row.data as { redacted?: true };
  const item = { id, created_at, actor, ...(redacted && { redacted }) };
  if (type === 'human_agent_comment')
    return { ...item, event: { human_agent_id: null, ...data, type, content: { type: 'text', text: content } } };
  if (type === 'workflow_message' || type === 'sequence_message') {
    const event = { workflow_run_id: null, ...data, type, content: { type: 'text', text: content } };
    return { ...item, event: event as HistoryItem['event'] };
  }
  if (type !== 'message') return { ...item, event: { content, ...data, type } as HistoryItem['event'] };
  const { attachments = [], ...said } = data as { attachments?: StoredAttachment[] };
  const event = {
    sender_id: null,
    sender_name: null,
    sender_avatar_url: null,
    ...said,
    type,
    sender: { type: sender },
    content: { type: 'text', text: content },
    attachments: attachments.map(({ media_id, ...file }) => ({
      ...file,
      url: links.linkOf({ org_id: row.org_id, id: media_id }),
    })),
  };
  return { ...item, event: event as HistoryItem['event'] };
}
