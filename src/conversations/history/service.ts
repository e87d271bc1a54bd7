import type { Db } from '../../db/connect.ts';
import type { MediaLinks } from '../../media/links.ts';
import { type EventRow, listEvents } from '../events.queries.ts';
import type { StoredAttachment } from '../messages/attachments.service.ts';
import { getSession } from '../sessions/service.ts';
import type { HistoryItem, ListHistory } from './events.schema.ts';

export { listLastSeqs } from '../events.queries.ts';

/** Returns a page of a session's history, oldest first. Throws notFound. */
export async function pageOfHistory(
  db: Db,
  links: MediaLinks,
  orgId: string,
  { sessionId, cursor, limit }: ListHistory & { sessionId: string },
) {
  await getSession(db, orgId, sessionId);
  const rows = await listEvents(db, orgId, sessionId, { after: Number(cursor ?? 0), limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? String(shown.at(-1)?.seq) : null;
  return { items: shown.map((row) => historyItemOf(links, row)), next };
}

/** Returns an event in the API's format, with links to its files. */
export function historyItemOf(
  links: MediaLinks,
  row: EventRow,
): Omit<HistoryItem, 'created_at'> & { created_at: Date } {
  const { id, created_at, type, content, sender } = row;
  const { redacted, ...data } = row.data as { redacted?: true };
  const item = { id, created_at, ...(redacted && { redacted }) };
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
