import { z } from 'zod';
import { textOfHtml } from '../../html/text.rules.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { Finding } from '../findings.rules.ts';
import { clean, dataOf, filled, idTextOf, messageText, timeOf } from '../reading/record-parts.rules.ts';
import type { AgentRecord, MessageRecord, PersonRecord, SourceRecord } from '../records.rules.ts';
import { type Source, unreadable } from './source.ts';

const Key = z.union([z.int(), z.string().min(1)]).transform(idTextOf);
const Text = z.string().nullish();
const Moment = z.union([z.string(), z.number()]).nullish();

const User = z.looseObject({
  id: Key,
  name: Text,
  email: Text,
  phone: Text,
  role: Text,
  external_id: Text,
  created_at: Moment,
  deleted: z.boolean().nullish(),
  active: z.boolean().nullish(),
  details: Text,
  notes: Text,
  tags: z.array(z.string()).nullish(),
  user_fields: z.record(z.string(), z.unknown()).nullish(),
});
type User = z.infer<typeof User>;

const Comment = z.looseObject({
  id: Key,
  author_id: Key.nullish(),
  body: Text,
  html_body: Text,
  plain_body: Text,
  public: z.boolean().nullish(),
  created_at: Moment,
  attachments: z.array(z.looseObject({ file_name: Text, content_url: Text })).nullish(),
});
type Comment = z.infer<typeof Comment>;

const Ticket = z.looseObject({
  id: Key,
  subject: Text,
  status: z.string(),
  priority: Text,
  type: Text,
  url: Text,
  external_id: Text,
  created_at: Moment,
  updated_at: Moment,
  via: z.looseObject({ channel: z.union([z.string(), z.number()]).nullish() }).nullish(),
  requester: User.nullish(),
  requester_id: Key.nullish(),
  submitter: User.nullish(),
  assignee: User.nullish(),
  assignee_id: Key.nullish(),
  group: z.looseObject({ name: Text }).nullish(),
  organization: z.looseObject({ name: Text }).nullish(),
  tags: z.array(z.string()).nullish(),
  custom_fields: z.array(z.looseObject({ id: Key, value: z.unknown() })).nullish(),
  metric_set: z.looseObject({ solved_at: Moment }).nullish(),
  comments: z.array(Comment, 'must be there: the ticket was read without its comments'),
});
type Ticket = z.infer<typeof Ticket>;

const Section = z.looseObject({
  id: Key,
  name: z.string(),
  description: Text,
  locale: Text,
  position: z.number().nullish(),
  category_id: Key.nullish(),
  parent_section_id: Key.nullish(),
});

const Article = z.looseObject({
  id: Key,
  section_id: Key.nullish(),
  title: z.string(),
  body: Text,
  draft: z.boolean().nullish(),
  html_url: Text,
  locale: Text,
  source_locale: Text,
  position: z.number().nullish(),
  user_segment_id: z.unknown(),
  user_segment_ids: z.array(z.unknown()).nullish(),
  translations: z
    .array(z.looseObject({ locale: z.string(), title: Text, body: Text, draft: z.boolean().nullish() }))
    .nullish(),
});

const CHANNELS: Record<string, SessionChannel> = {
  email: 'email',
  web: 'web',
  web_form: 'web',
  web_widget: 'web',
  web_messaging: 'web',
  native_messaging: 'web',
  chat: 'web',
  chat_transcript: 'web',
  mobile_sdk: 'web',
  help_center: 'web',
  voice: 'phone_voice',
  sms: 'sms',
  whatsapp: 'whatsapp',
  facebook: 'messenger',
  messenger: 'messenger',
  instagram_dm: 'instagram',
  slack: 'slack',
};
const OPEN = new Set(['new', 'open', 'pending', 'hold']);
const CLOSED = new Set(['solved', 'closed']);

/** Zendesk's account export of users and tickets, one object a line, and what its API answers. */
export const ZENDESK: Source = {
  contacts: { listsIn: ['users', 'results'], read: readUser },
  conversations: { listsIn: ['tickets', 'results'], read: readTicket },
  help_center: {
    listsIn: ['categories', 'sections', 'articles'],
    read: (value, list) => (isArticle(value, list) ? readArticle(value) : readSection(value, list)),
  },
};

function readUser(value: unknown): SourceRecord[] {
  const { data: user, error } = User.safeParse(value);
  if (user === undefined) return [unreadable(value, error)];
  const { id: externalId, role, deleted, active } = user;
  if (role === 'agent' || role === 'admin')
    return [{ kind: 'agent', agent: { ...agentOf(user), externalId }, findings: [] }];
  if (deleted === true || active === false)
    return [leftOut(externalId, { code: 'deleted', reason: 'The user is deleted in Zendesk' })];
  const findings: Finding[] = [];
  return [{ kind: 'contact', contact: personOf(user, findings), findings }];
}

const leftOut = (externalId: string, finding: Finding): SourceRecord => ({
  kind: 'left_out',
  externalId,
  findings: [finding],
});

function personOf(user: User, findings: Finding[]): PersonRecord {
  const fields = Object.entries(user.user_fields ?? {});
  const organization = z.looseObject({ name: z.string() }).safeParse(user.organization).data?.name;
  return {
    externalId: user.id,
    email: filled(user.email),
    phone: filled(user.phone),
    name: filled(user.name),
    ownId: filled(user.external_id),
    data: dataOf(
      [
        ...fields,
        ['zendesk_organization', organization],
        ['zendesk_details', user.details],
        ['zendesk_notes', user.notes],
        ['zendesk_tags', user.tags],
      ],
      findings,
    ),
    createdAt: timeOf(user.created_at),
  };
}

const agentOf = ({ id, name, email }: User): AgentRecord => ({
  externalId: id,
  name: filled(name),
  email: filled(email)?.toLowerCase(),
});

function readTicket(value: unknown): SourceRecord[] {
  const { data: ticket, error } = Ticket.safeParse(value);
  if (ticket === undefined) return [unreadable(value, error)];
  if (ticket.status === 'deleted')
    return [leftOut(ticket.id, { code: 'deleted', reason: 'The ticket is deleted in Zendesk' })];
  const [createdAt, updatedAt] = [timeOf(ticket.created_at), timeOf(ticket.updated_at)];
  const problem =
    createdAt === undefined
      ? 'created_at: must be a time, and not in the future'
      : OPEN.has(ticket.status) || CLOSED.has(ticket.status)
        ? undefined
        : 'status: must be new, open, pending, hold, solved, closed or deleted';
  if (createdAt === undefined || problem !== undefined)
    return [leftOut(ticket.id, { code: 'not_readable', reason: problem ?? '' })];
  return [conversationOf(ticket, { createdAt, updatedAt: updatedAt ?? createdAt })];
}

interface Times {
  createdAt: Date;
  updatedAt: Date;
}

function conversationOf(ticket: Ticket, { createdAt, updatedAt }: Times): SourceRecord {
  const { id: externalId, requester, requester_id, assignee, assignee_id } = ticket;
  const findings: Finding[] = [];
  const personId = requester?.id ?? requester_id;
  if (personId === null || personId === undefined)
    return leftOut(externalId, { code: 'contact_unknown', reason: 'The ticket has no requester' });
  const assigned = assignee ? agentOf(assignee) : assignee_id ? { externalId: assignee_id } : undefined;
  const messages = ticket.comments.flatMap((comment) => messageOf(ticket, comment, { personId, createdAt, findings }));
  const linked = ticket.comments.flatMap(({ attachments }) => attachments ?? []).length;
  if (linked > 0)
    findings.push({ code: 'attachments_linked', reason: `${linked} files are links to Zendesk in their messages` });
  const isClosed = CLOSED.has(ticket.status);
  return {
    kind: 'conversation',
    findings,
    conversation: {
      externalId,
      person: requester ? personOf(requester, findings) : { externalId: personId },
      channel: CHANNELS[String(ticket.via?.channel)] ?? 'api',
      isClosed,
      createdAt,
      updatedAt,
      closedAt: isClosed ? (timeOf(ticket.metric_set?.solved_at) ?? updatedAt) : undefined,
      assignee: assigned,
      team: filled(ticket.group?.name),
      tags: (ticket.tags ?? []).flatMap((tag) => filled(tag) ?? []),
      data: dataOf(
        [
          ['zendesk_ticket_id', externalId],
          ['subject', ticket.subject],
          ['priority', ticket.priority],
          ['type', ticket.type],
          ['zendesk_organization', ticket.organization?.name],
          ['zendesk_external_id', ticket.external_id],
          ...(ticket.custom_fields ?? []).map(({ id, value }): [string, unknown] => [`zendesk_field_${id}`, value]),
        ],
        findings,
      ),
      messages,
    },
  };
}

interface CommentContext {
  personId: string;
  createdAt: Date;
  findings: Finding[];
}

function messageOf(
  ticket: Ticket,
  comment: Comment,
  { personId, createdAt, findings }: CommentContext,
): MessageRecord[] {
  const files = (comment.attachments ?? []).map(({ file_name, content_url }) => ({
    name: clean(file_name ?? 'file'),
    url: clean(content_url ?? ''),
  }));
  const html = filled(comment.html_body);
  const said = filled(comment.plain_body) === undefined && html !== undefined ? textOfHtml(html) : comment.plain_body;
  const text = messageText(withoutEntities(said) ?? comment.body ?? '', files, findings);
  if (text === '') return [];
  const at = timeOf(comment.created_at) ?? createdAt;
  const kind = comment.public === false ? ('note' as const) : ('message' as const);
  return [{ externalId: comment.id, at, kind, author: authorOf(ticket, comment, personId), text }];
}

/** Zendesk leaves the entities of non-breaking spaces in its plain texts. */
const withoutEntities = (text: string | null | undefined) => text?.replaceAll('&nbsp;', ' ');

function authorOf(
  { submitter, assignee }: Ticket,
  { author_id: id }: Comment,
  personId: string,
): MessageRecord['author'] {
  if (id === null || id === undefined || id === '-1') return { is: 'system' };
  if (id === personId) return { is: 'contact' };
  const known = [assignee, submitter].find((user) => user?.id === id);
  if (known && known.role !== 'end-user') return { is: 'agent', agent: agentOf(known) };
  return { is: 'unknown', id };
}

const isArticle = (value: unknown, list: string | undefined) =>
  list === 'articles' || (list === undefined && typeof value === 'object' && value !== null && 'section_id' in value);

function readSection(value: unknown, list: string | undefined): SourceRecord[] {
  const { data: section, error } = Section.safeParse(value);
  if (section === undefined) return [unreadable(value, error)];
  const isSection = list === 'sections' || (section.category_id ?? section.parent_section_id) != null;
  const { parent_section_id, category_id } = section;
  const parentId = parent_section_id
    ? `section ${parent_section_id}`
    : category_id
      ? `category ${category_id}`
      : undefined;
  return [
    {
      kind: 'category',
      findings: [],
      category: {
        externalId: `${isSection ? 'section' : 'category'} ${section.id}`,
        parentId,
        name: section.name,
        description: filled(section.description),
        locale: localeOf(section.locale),
        position: section.position ?? 0,
      },
    },
  ];
}

const localeOf = (locale: string | null | undefined) => (filled(locale) ?? 'en').toLowerCase();

function readArticle(value: unknown): SourceRecord[] {
  const { data: article, error } = Article.safeParse(value);
  if (article === undefined) return [unreadable(value, error)];
  const isRestricted = article.user_segment_id != null || (article.user_segment_ids ?? []).length > 0;
  const mainLocale = localeOf(article.source_locale ?? article.locale);
  const texts = [
    { locale: localeOf(article.locale), title: article.title, body: article.body, draft: article.draft },
    ...(article.translations ?? []),
  ];
  const byLocale = new Map(texts.toReversed().map((text) => [localeOf(text.locale), text]));
  return [...byLocale.values()].toReversed().map(({ title, body, draft, ...text }): SourceRecord => {
    const locale = localeOf(text.locale);
    const externalId = locale === mainLocale ? article.id : `${article.id} ${locale}`;
    if (isRestricted || draft === true)
      return leftOut(externalId, {
        code: 'not_public',
        reason: draft === true ? 'The article is a draft' : 'Only some users may read the article',
      });
    return {
      kind: 'article',
      findings: [],
      article: {
        externalId,
        categoryId: article.section_id ? `section ${article.section_id}` : undefined,
        title: title ?? article.title,
        body: { html: body ?? '' },
        url: filled(article.html_url),
        locale,
        mainLocale,
        position: article.position ?? 0,
      },
    };
  });
}
