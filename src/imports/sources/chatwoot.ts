import { z } from 'zod';
import { invalid } from '../../errors.ts';
import { looksLikeHtml } from '../../html/markup.rules.ts';
import { textOfHtml } from '../../html/text.rules.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { Finding } from '../findings.rules.ts';
import { dataOf, filled, idTextOf, messageText, timeOf } from '../reading/record-parts.rules.ts';
import type { AgentRecord, MessageRecord, PersonRecord, SourceRecord } from '../records.rules.ts';
import { type Source, unreadable } from './source.ts';

const Key = z.union([z.int(), z.string().min(1)]).transform(idTextOf);
const Text = z.string().nullish();
const Moment = z.union([z.string(), z.number()]).nullish();
const Attributes = z.record(z.string(), z.unknown()).nullish();

const Contact = z.looseObject({
  id: Key,
  name: Text,
  email: Text,
  phone_number: Text,
  identifier: Text,
  custom_attributes: Attributes,
  additional_attributes: Attributes,
  created_at: Moment,
});
type Contact = z.infer<typeof Contact>;

const Agent = z.looseObject({ id: Key.nullish(), name: Text, email: Text });
const Sender = z.looseObject({ id: Key.nullish(), name: Text, email: Text, type: Text });

const KINDS = ['incoming', 'outgoing', 'activity', 'template'] as const;
const Message = z.looseObject({
  id: Key,
  content: Text,
  message_type: z
    .union([z.enum(KINDS), z.int().min(0).max(3)])
    .transform((kind) => (typeof kind === 'number' ? KINDS[kind] : kind)),
  content_type: Text,
  private: z.boolean().nullish(),
  created_at: Moment,
  sender: Sender.nullish(),
  attachments: z
    .array(z.looseObject({ file_type: Text, data_url: Text, extension: Text, fallback_title: Text }).nullable())
    .nullish(),
});
type Message = z.infer<typeof Message>;

const Conversation = z.looseObject({
  id: Key,
  uuid: Text,
  status: z.enum(['open', 'resolved', 'pending', 'snoozed']),
  created_at: Moment,
  last_activity_at: Moment,
  priority: Text,
  labels: z.array(z.string()).nullish(),
  custom_attributes: Attributes,
  additional_attributes: Attributes,
  snoozed_until: z.unknown(),
  meta: z.looseObject({
    sender: Contact,
    channel: Text,
    assignee: Agent.nullish(),
    team: z.looseObject({ name: Text }).nullish(),
  }),
  messages: z.array(Message, 'must be there, with all messages of the conversation'),
});
type Conversation = z.infer<typeof Conversation>;

const Portal = z
  .looseObject({ config: z.looseObject({ default_locale: Text }).nullish(), default_locale: Text })
  .nullish();
const Category = z.looseObject({
  id: Key,
  name: z.string(),
  description: Text,
  locale: Text,
  position: z.number().nullish(),
  parent_category: z.looseObject({ id: Key }).nullish(),
});
const Article = z.looseObject({
  id: Key,
  title: z.string(),
  content: Text,
  description: Text,
  status: z.union([z.string(), z.int()]).nullish(),
  position: z.number().nullish(),
  locale: Text,
  category: z.looseObject({ id: Key.nullish(), name: Text, locale: Text }).nullish(),
  portal: Portal,
});

const CHANNELS: Record<string, SessionChannel> = {
  'Channel::WebWidget': 'web',
  'Channel::Email': 'email',
  'Channel::Sms': 'sms',
  'Channel::TwilioSms': 'sms',
  'Channel::Whatsapp': 'whatsapp',
  'Channel::FacebookPage': 'messenger',
  'Channel::Instagram': 'instagram',
};
const PUBLISHED = ['published', 1, '1'];
const LIST_ONLY =
  'A list of conversations has only the last message of each: send conversations with all their messages, one a line, as in docs/moving-in.md';

/** Chatwoot's export of contacts as CSV, and what its API answers. */
export const CHATWOOT: Source = {
  contacts: { listsIn: ['payload'], read: readContact },
  contactLines: { assertColumns, read: readContactLine },
  conversations: { listsIn: [], read: readConversation, refuse: (value) => (isList(value) ? LIST_ONLY : undefined) },
  help_center: {
    listsIn: ['payload'],
    read: (value) => (isObjectWith(value, 'title') ? readArticle(value) : readCategory(value)),
  },
};

const isObjectWith = (value: unknown, name: string) => typeof value === 'object' && value !== null && name in value;
const isList = (value: unknown) =>
  isObjectWith(value, 'payload') || (isObjectWith(value, 'data') && !isObjectWith(value, 'id'));

function assertColumns(columns: string[]): void {
  if (!columns.includes('id'))
    throw invalid('The first line is not valid: there must be a column id, as in the export of Chatwoot', [
      { path: 'body.header', message: 'there must be a column id' },
    ]);
}

const FIELDS = [
  'id',
  'name',
  'email',
  'phone_number',
  'identifier',
  'created_at',
  'custom_attributes',
  'additional_attributes',
];

function readContactLine(columns: string[], cells: string[]): SourceRecord[] {
  const named = columns.map((name, nth): [string, string] => [name, cells[nth] ?? '']);
  const known = Object.fromEntries(named.filter(([name, cell]) => FIELDS.includes(name) && cell !== ''));
  const others = Object.fromEntries(named.filter(([name]) => !FIELDS.includes(name)));
  return readContact({ ...known, custom_attributes: others, additional_attributes: undefined });
}

function readContact(value: unknown): SourceRecord[] {
  const { data: contact, error } = Contact.safeParse(value);
  if (contact === undefined) return [unreadable(value, error)];
  const findings: Finding[] = [];
  return [{ kind: 'contact', contact: personOf(contact, findings), findings }];
}

function personOf(contact: Contact, findings: Finding[]): PersonRecord {
  const { company_name, city, country } = contact.additional_attributes ?? {};
  return {
    externalId: contact.id,
    email: filled(contact.email),
    phone: filled(contact.phone_number),
    name: filled(contact.name),
    ownId: filled(contact.identifier),
    data: dataOf(
      [
        ...Object.entries(contact.custom_attributes ?? {}),
        ['company_name', company_name],
        ['city', city],
        ['country', country],
      ],
      findings,
    ),
    createdAt: timeOf(contact.created_at),
  };
}

function readConversation(value: unknown): SourceRecord[] {
  const { data: conversation, error } = Conversation.safeParse(value);
  if (conversation === undefined) return [unreadable(value, error)];
  const { id, uuid } = conversation;
  const externalId = filled(uuid) ?? id;
  const messageTimes = conversation.messages.flatMap(({ created_at }) => timeOf(created_at) ?? []);
  const createdAt = timeOf(conversation.created_at) ?? messageTimes[0];
  if (createdAt === undefined)
    return [
      {
        kind: 'left_out',
        externalId,
        findings: [{ code: 'not_readable', reason: 'created_at: must be a time, and not in the future' }],
      },
    ];
  return [conversationOf(conversation, externalId, createdAt)];
}

function conversationOf(conversation: Conversation, externalId: string, createdAt: Date): SourceRecord {
  const { id, status, meta, messages } = conversation;
  const findings: Finding[] = [];
  const activities = messages.filter(({ message_type }) => message_type === 'activity').length;
  if (activities > 0)
    findings.push({
      code: 'events_left_out',
      reason: `${activities} lines about what happened, such as an assignment`,
    });
  const linked = messages.flatMap(({ attachments }) => attachments ?? []).length;
  if (linked > 0)
    findings.push({ code: 'attachments_linked', reason: `${linked} files are links to Chatwoot in their messages` });
  if (status === 'snoozed') findings.push({ code: 'snooze_ended', reason: 'The conversation is snoozed in Chatwoot' });
  const updatedAt = timeOf(conversation.last_activity_at) ?? createdAt;
  const assignee: AgentRecord | undefined = meta.assignee
    ? {
        externalId: meta.assignee.id ?? undefined,
        name: filled(meta.assignee.name),
        email: filled(meta.assignee.email)?.toLowerCase(),
      }
    : undefined;
  const { mail_subject } = conversation.additional_attributes ?? {};
  return {
    kind: 'conversation',
    findings,
    conversation: {
      externalId,
      person: personOf(meta.sender, findings),
      channel: CHANNELS[meta.channel ?? ''] ?? 'api',
      isClosed: status === 'resolved',
      createdAt,
      updatedAt,
      closedAt: status === 'resolved' ? updatedAt : undefined,
      assignee,
      team: filled(meta.team?.name),
      tags: (conversation.labels ?? []).flatMap((label) => filled(label) ?? []),
      data: dataOf(
        [
          ['chatwoot_conversation_id', id],
          ['subject', mail_subject],
          ['priority', conversation.priority],
          ...Object.entries(conversation.custom_attributes ?? {}),
        ],
        findings,
      ),
      messages: messages.flatMap((message) => messageOf(message, assignee, { createdAt, findings })),
    },
  };
}

function messageOf(
  message: Message,
  assignee: AgentRecord | undefined,
  { createdAt, findings }: { createdAt: Date; findings: Finding[] },
): MessageRecord[] {
  const { id, content, message_type, sender } = message;
  if (message_type === 'activity') return [];
  const files = (message.attachments ?? []).flatMap((file) =>
    file === null ? [] : [{ name: file.fallback_title ?? file.file_type ?? 'file', url: file.data_url ?? '' }],
  );
  const said = content ?? '';
  const text = messageText(looksLikeHtml(said) ? textOfHtml(said) : said, files, findings);
  if (text === '') return [];
  const at = timeOf(message.created_at) ?? createdAt;
  const author = authorOf(message_type, sender, assignee);
  return [{ externalId: id, at, kind: message.private === true ? 'note' : 'message', author, text }];
}

function authorOf(
  kind: Message['message_type'],
  sender: Message['sender'],
  assignee: AgentRecord | undefined,
): MessageRecord['author'] {
  if (kind === 'incoming') return { is: 'contact' };
  if (kind === 'template' || sender == null || sender.type === 'agent_bot') return { is: 'system' };
  const externalId = sender.id ?? undefined;
  const email =
    filled(sender.email)?.toLowerCase() ?? (externalId === assignee?.externalId ? assignee?.email : undefined);
  return { is: 'agent', agent: { externalId, name: filled(sender.name), email } };
}

const localeOf = (locale: string | null | undefined) => filled(locale)?.toLowerCase().replace('_', '-');

function readCategory(value: unknown): SourceRecord[] {
  const { data: category, error } = Category.safeParse(value);
  if (category === undefined) return [unreadable(value, error)];
  const { id, name, description, parent_category, position } = category;
  return [
    {
      kind: 'category',
      findings: [],
      category: {
        externalId: id,
        parentId: parent_category?.id,
        name,
        description: filled(description),
        locale: localeOf(category.locale) ?? 'en',
        position: position ?? 0,
      },
    },
  ];
}

function readArticle(value: unknown): SourceRecord[] {
  const { data: article, error } = Article.safeParse(value);
  if (article === undefined) return [unreadable(value, error)];
  const { id: externalId, title, content, status, category, portal } = article;
  if (!PUBLISHED.some((published) => published === status))
    return [
      { kind: 'left_out', externalId, findings: [{ code: 'not_public', reason: 'The article is not published' }] },
    ];
  const mainLocale = localeOf(portal?.config?.default_locale ?? portal?.default_locale) ?? 'en';
  const locale = localeOf(article.locale ?? category?.locale) ?? mainLocale;
  const findings: Finding[] = [];
  const within: SourceRecord[] =
    category?.id && category.name
      ? [
          {
            kind: 'category',
            findings: [],
            category: { externalId: category.id, name: category.name, locale, position: Number.MAX_SAFE_INTEGER },
          },
        ]
      : [];
  return [
    ...within,
    {
      kind: 'article',
      findings,
      article: {
        externalId,
        categoryId: category?.id ?? undefined,
        title,
        body: { markdown: content ?? '' },
        url: undefined,
        description: filled(article.description),
        locale,
        mainLocale,
        position: article.position ?? 0,
      },
    },
  ];
}
