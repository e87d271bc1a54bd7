import { countContacts, readContacts } from '../contacts/snapshots.service.ts';
import type { ConversationPart } from '../conversations/export/service.ts';
import { countSessions, readConversations } from '../conversations/export/service.ts';
import { countStoredPages, readStoredPages } from '../crawl/pages/service.ts';
import type { Trx } from '../db/connect.ts';
import type { CreatedWithin } from '../db/keyset.ts';
import { countDeliveries, readDeliveries } from '../deliveries/ledger/snapshots.service.ts';
import { countArticles, readArticles } from '../knowledge/help-center/articles.service.ts';
import { countTraining, readTraining } from '../knowledge/training/service.ts';
import type { MediaLinks } from '../media/links.ts';
import { csvHeader, csvLines } from '../reports/csv.ts';
import type { KeyScope } from '../schemas/scopes.ts';
import type { ExportFormat, ExportResource } from './schema.ts';

/** What the records of an org are read with. */
export interface Reading {
  trx: Trx;
  orgId: string;
  created: CreatedWithin;
  links: MediaLinks;
  publicUrl: string;
}

/** A part of a file, and how many records end in it. */
export interface FilePart {
  text: string;
  rows: number;
}

interface Resource {
  /** A caller needs all of them. */
  scopes: KeyScope[];
  /** Returns how many records there are, or about as many. */
  count(reading: Reading): Promise<number>;
  parts: Record<ExportFormat, (reading: Reading) => AsyncGenerator<FilePart>>;
}

const CONTACT_COLUMNS = [
  'id',
  'external_id',
  'email',
  'phone_number',
  'name',
  'custom_data',
  'created_at',
  'updated_at',
];
const DELIVERY_COLUMNS = [
  ...['id', 'channel', 'to', 'status', 'reason', 'provider', 'provider_id', 'attempts', 'contact_id', 'sequence_id'],
  ...['step_id', 'enrollment_id', 'sent_at', 'created_at', 'updated_at'],
];
const KNOWLEDGE_COLUMNS = [
  ...['source_type', 'id', 'title', 'content', 'url', 'visibility', 'is_draft', 'language', 'created_at', 'updated_at'],
];
const MESSAGE_COLUMNS = [
  ...['session_id', 'ticket_number', 'channel', 'status', 'contact_id', 'contact_email', 'contact_phone_number'],
  ...['contact_name', 'message_id', 'created_at', 'type', 'sender', 'sender_name', 'text', 'attachments', 'redacted'],
];

/** What can be exported. */
export const RESOURCES: Record<ExportResource, Resource> = {
  contacts: tabular(['contacts:read'], CONTACT_COLUMNS, {
    count: ({ trx, orgId, created }) => countContacts(trx, orgId, created),
    read: ({ trx, orgId, created }) => readContacts(trx, orgId, created),
  }),
  deliveries: tabular(['sequences:read'], DELIVERY_COLUMNS, {
    count: ({ trx, orgId, created }) => countDeliveries(trx, orgId, created),
    read: ({ trx, orgId, created }) => readDeliveries(trx, orgId, created),
  }),
  knowledge: tabular(['training:read', 'help-center:read', 'crawl:read'], KNOWLEDGE_COLUMNS, {
    count: countKnowledge,
    read: readKnowledge,
  }),
  conversations: {
    scopes: ['chat-sessions:read'],
    count: ({ trx, orgId, created }) => countSessions(trx, orgId, created),
    parts: { ndjson: conversationLines, csv: (reading) => csvParts(MESSAGE_COLUMNS, messagesOf(reading)) },
  },
};

/** Describes a resource whose records come some at a time and are lines of a table too. */
function tabular(
  scopes: KeyScope[],
  columns: string[],
  { count, read }: Pick<Resource, 'count'> & { read(reading: Reading): AsyncGenerator<object[]> },
): Resource {
  return {
    scopes,
    count,
    parts: { ndjson: (reading) => jsonParts(read(reading)), csv: (reading) => csvParts(columns, read(reading)) },
  };
}

async function* jsonParts(pages: AsyncIterable<object[]>): AsyncGenerator<FilePart> {
  for await (const records of pages)
    yield { text: records.map((record) => `${JSON.stringify(record)}\n`).join(''), rows: records.length };
}

async function* csvParts(columns: string[], pages: AsyncIterable<object[]>): AsyncGenerator<FilePart> {
  yield { text: csvHeader(columns), rows: 0 };
  for await (const records of pages) yield { text: csvLines(records, columns), rows: records.length };
}

async function countKnowledge({ trx, orgId, created }: Reading): Promise<number> {
  const training = await countTraining(trx, orgId, created);
  const articles = await countArticles(trx, orgId, created);
  return training + articles + (await countStoredPages(trx, orgId, created));
}

async function* readKnowledge({ trx, orgId, created, publicUrl }: Reading): AsyncGenerator<object[]> {
  for await (const items of readTraining(trx, orgId, created))
    yield items.map((item) => ({ source_type: 'custom_training', ...item }));
  for await (const articles of readArticles(trx, publicUrl, orgId, created))
    yield articles.map(({ content_markdown: content, ...article }) => ({
      source_type: 'help_center',
      ...article,
      content,
    }));
  for await (const pages of readStoredPages(trx, orgId, created))
    yield pages.map((page) => ({ source_type: 'website', ...page }));
}

/** Writes a session a line, with its history. A long one is never whole in memory. */
async function* conversationLines({ trx, links, orgId, created }: Reading): AsyncGenerator<FilePart> {
  for await (const { session, items, isFirst, isLast } of readConversations(trx, links, orgId, created)) {
    const start = isFirst ? `${JSON.stringify(session).slice(0, -1)},"history":[` : ',';
    const list = items.map((item) => JSON.stringify(item)).join(',');
    yield { text: `${start}${list}${isLast ? ']}\n' : ''}`, rows: isLast ? 1 : 0 };
  }
}

/** Reads the messages and notes of sessions, some at a time. A session without any has one row. */
async function* messagesOf({ trx, links, orgId, created }: Reading): AsyncGenerator<object[]> {
  let hasMessages = false;
  for await (const part of readConversations(trx, links, orgId, created)) {
    const rows = part.items.flatMap((item) => messageRow(part.session, item));
    hasMessages = (hasMessages && !part.isFirst) || rows.length > 0;
    if (rows.length > 0) yield rows;
    else if (part.isLast && !hasMessages) yield [sessionCells(part.session)];
  }
}

type ExportedSession = ConversationPart['session'];

const sessionCells = ({ id, ticket_number, channel, status, contact }: ExportedSession) => ({
  session_id: id,
  ticket_number,
  channel: channel.type,
  status,
  contact_id: contact?.id,
  contact_email: contact?.email,
  contact_phone_number: contact?.phone_number,
  contact_name: contact?.name,
});

/** Returns the row of a message or note; none for any other item. */
function messageRow(session: ExportedSession, item: ConversationPart['items'][number]): object[] {
  const { event } = item;
  if (!('content' in event) || event.type === 'csat_submitted') return [];
  return [
    {
      ...sessionCells(session),
      message_id: item.id,
      created_at: item.created_at,
      type: event.type,
      sender: 'sender' in event ? event.sender.type : undefined,
      sender_name: 'sender_name' in event ? event.sender_name : undefined,
      text: event.content.text,
      attachments: 'attachments' in event ? event.attachments.map(({ name }) => name).join('\n') : undefined,
      redacted: item.redacted,
    },
  ];
}
