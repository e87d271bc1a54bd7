import { z } from 'zod';
import { PhoneNumber } from '../contacts/phone-number.schema.ts';
import { Email, HttpActionOverrides } from '../contacts/schema.ts';
import { Comment, Score } from '../csat/schema.ts';
import { Cursor, Id, Language, Time, wholeNumber } from '../schemas/parts.ts';

const MAX_TEXT_LENGTH = 50_000;
const MAX_NAME_LENGTH = 1_000;
const MAX_KEYS = 100;
const MAX_VALUE_CHARACTERS = 5_000;
const MAX_URL_LENGTH = 2_048;
const MAX_CHAT_CONTEXT_LENGTH = 20_000;
const MAX_CHECKPOINT_CHARACTERS = 20_000;
const MAX_FILTERS = 10_000;
const MAX_ATTACHMENTS = 10;
const MAX_OFFSET = 10_000;
const MAX_INITIAL_MESSAGES = 20;
const MAX_CONTEXT_CHARACTERS = 20_000;

const Key = z.string().min(1).max(255);
const hasFewKeys = (map: object) => Object.keys(map).length <= MAX_KEYS;
const tooManyKeys = `must have at most ${MAX_KEYS} keys`;

/** Values by key as given by pages, stored as text. */
const Scalars = z
  .record(Key, z.union([z.string().max(MAX_VALUE_CHARACTERS), z.number(), z.boolean()]))
  .refine(hasFewKeys, tooManyKeys)
  .meta({ maxProperties: MAX_KEYS });

/** Values by key as given by a visitor's page, stored as text. Null values are dropped. */
const VisitorData = z
  .record(Key, z.union([z.string().max(MAX_VALUE_CHARACTERS), z.number(), z.boolean(), z.null()]))
  .refine(hasFewKeys, tooManyKeys)
  .transform((data) =>
    Object.fromEntries(Object.entries(data).flatMap(([key, value]) => (value === null ? [] : [[key, String(value)]]))),
  );

/** Values of any kind by key, as given by a visitor's page: text as it is, others as JSON. Null values are dropped. */
const MessageData = z
  .record(Key, z.json())
  .refine(hasFewKeys, tooManyKeys)
  .transform((data) =>
    Object.fromEntries(
      Object.entries(data).flatMap(([key, value]) =>
        value === null ? [] : [[key, typeof value === 'string' ? value : JSON.stringify(value)]],
      ),
    ),
  )
  .refine(
    (data) => Object.values(data).every((text) => text.length <= MAX_VALUE_CHARACTERS),
    `must have at most ${MAX_VALUE_CHARACTERS} characters a value; lists and objects count as JSON`,
  );

/** Maps a browser's language such as pt-BR to a supported language. Undefined if there is none. */
const BrowserLanguage = z
  .string()
  .max(100)
  .transform((tag) => Language.safeParse(tag.split(/[-_]/)[0]?.toLowerCase()).data);

/** A page may give an empty address for a visitor whose address it does not know. */
const ClaimedEmail = z.preprocess((email) => (email === '' ? null : email), Email.nullable()).optional();

export const CreateUnverified = z.object({
  email: ClaimedEmail,
  non_verified_name: z.string().max(MAX_NAME_LENGTH).nullish(),
  non_verified_custom_data: VisitorData.nullish(),
});
export type CreateUnverified = z.infer<typeof CreateUnverified>;

export const CreateWidgetSession = z.object({ customData: VisitorData.nullish() }).nullish();

const Filters = z.object({
  external_id: z
    .union([z.string().max(5_000), z.number()])
    .transform(String)
    .nullish(),
});

export const ListWidgetSessions = z.object({
  filters: z
    .string()
    .max(MAX_FILTERS)
    .transform((text, context) => {
      const filters = Filters.safeParse(parseJson(text));
      if (filters.success) return filters.data;
      context.issues.push({
        code: 'custom',
        input: text,
        message: 'must be JSON such as {"external_id":"device-1"}',
      });
      return z.NEVER;
    })
    .optional(),
  cursor: Cursor.optional(),
  offset: z
    .union([wholeNumber(MAX_OFFSET), Cursor.regex(/[a-z]/i)], {
      error: `must be a number up to ${MAX_OFFSET}, or the next of an earlier page`,
    })
    .default(0),
});
export type ListWidgetSessions = z.infer<typeof ListWidgetSessions>;

export const PolledSession = z.object({ sessionId: Id });

/** What the client has of a history already: up to an item, by its publicId, or up to a time. */
export const HistoryStart = z.object({
  since: z
    .union([Id, Time], { error: 'must be the publicId of an item of the history, or an ISO 8601 time' })
    .optional(),
});
export type HistoryStart = z.infer<typeof HistoryStart>;

const MAX_POLL_SECONDS = 25;

/** A poll that may wait. `state` is that of the answer before: another one ends the wait too. */
export const PollStart = HistoryStart.extend({
  wait: wholeNumber(MAX_POLL_SECONDS).optional(),
  state: z.string().max(100).optional(),
});
export type PollStart = z.infer<typeof PollStart>;

const SentAttachment = z
  .object({ url: z.string().max(MAX_URL_LENGTH).optional(), fileUrl: z.string().max(MAX_URL_LENGTH).optional() })
  .transform(({ url, fileUrl }) => url ?? fileUrl ?? '');

const MAX_OVERRIDES_CHARACTERS = 64 * 1024;
const isShort = (values: object | null | undefined) =>
  JSON.stringify(values ?? null).length <= MAX_OVERRIDES_CHARACTERS;
const tooLong = `must have at most ${MAX_OVERRIDES_CHARACTERS} characters as JSON`;

const Greeting = z.string().min(1).max(5_000);

/** A greeting that the page showed before the visitor wrote. */
const InitialMessage = z.union([
  z.object({ uuid: Id, content: Greeting }),
  Greeting.transform((content) => ({ uuid: undefined, content })),
]);

/** What the page knows of the visit. */
const ClientContext = z
  .record(Key, z.json())
  .refine(hasFewKeys, tooManyKeys)
  .refine(
    (context) => JSON.stringify(context).length <= MAX_CONTEXT_CHARACTERS,
    `must have at most ${MAX_CONTEXT_CHARACTERS} characters as JSON`,
  );

/**
 * The page's values for HTTP actions (headers, query_params, body_properties) may be secret: they are stored encrypted.
 */
export const SendWidgetMessage = z
  .object({
    uuid: Id,
    content: z.string().max(MAX_TEXT_LENGTH),
    session_id: Id,
    bot_token: z.string().max(255).nullish(),
    attachments: z.array(SentAttachment).max(MAX_ATTACHMENTS).nullish(),
    language: BrowserLanguage.nullish(),
    custom_data: MessageData.nullish(),
    headers: VisitorData.refine(isShort, tooLong).nullish(),
    query_params: VisitorData.refine(isShort, tooLong).nullish(),
    body_properties: z.record(Key, z.json()).refine(hasFewKeys, tooManyKeys).refine(isShort, tooLong).nullish(),
    clientContext: ClientContext.nullish(),
    initial_messages: z.array(InitialMessage).max(MAX_INITIAL_MESSAGES).nullish(),
  })
  .refine(({ content, attachments }) => content.trim() !== '' || (attachments ?? []).length > 0, {
    path: ['content'],
    message: 'must say something, unless there are attachments',
  });
export type SendWidgetMessage = z.infer<typeof SendWidgetMessage>;

export const Vote = z.object({
  action: z.enum(['upvote', 'downvote']),
  sessionId: Id,
  messagePublicId: Id,
});
export type Vote = z.infer<typeof Vote>;

export const ReadWidgetSession = z.object({ session_id: Id, up_to: Id });
export type ReadWidgetSession = z.infer<typeof ReadWidgetSession>;

export const TypingVisitor = z.object({ session_id: Id, state: z.enum(['typing', 'gone']).default('typing') });

export const WidgetSessionRef = z.object({ session_id: Id });

export const Checkpoint = z.object({
  session_id: Id,
  payload: z
    .unknown()
    .refine((payload) => payload !== undefined, 'must be there')
    .refine(
      (payload) => (JSON.stringify(payload) ?? '').length <= MAX_CHECKPOINT_CHARACTERS,
      `must have at most ${MAX_CHECKPOINT_CHARACTERS} characters`,
    ),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

export const SubmitCsat = z.object({
  session_id: Id,
  score: Score,
  feedback: Comment.nullish(),
  system_message_uuid: Id.nullish(),
});
export type SubmitCsat = z.infer<typeof SubmitCsat>;

/** A user of the website, as its own server knows them. */
export const AuthenticateUser = z
  .object({
    email: Email,
    name: z.string().max(MAX_NAME_LENGTH).optional(),
    avatar_url: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(MAX_URL_LENGTH)
      .nullable()
      .optional(),
    phone: PhoneNumber.optional(),
    language: Language.optional(),
    customData: Scalars.optional().describe('Merged by key into the contact’s custom_data, as text.'),
    chat_context: z.string().max(MAX_CHAT_CONTEXT_LENGTH).optional().describe('Context of the visit for the AI.'),
    http_action_overrides: HttpActionOverrides.optional(),
  })
  .meta({
    id: 'AuthenticateUser',
    examples: [{ email: 'ada@example.com', name: 'Ada Lovelace', customData: { plan: 'pro', seats: 3 } }],
  });
export type AuthenticateUser = z.infer<typeof AuthenticateUser>;

export const AuthenticatedUser = z
  .object({
    token: z.string().describe('For the widget: it shows the contact’s sessions to whoever holds it, for 30 days.'),
    contact: z.object({ id: Id }),
  })
  .meta({ id: 'AuthenticatedUser' });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const WidgetConfirmationPath = z.object({ confirmationId: Id });

export const DecideConfirmation = z.object({
  decision: z.enum(['confirm', 'reject']),
  arguments: z.record(z.string(), z.unknown()).optional(),
});
export type DecideConfirmation = z.infer<typeof DecideConfirmation>;

const Values = z.record(z.string(), z.unknown());

/** A form that a message of the AI shows, with the visitor's values. */
export const ExecuteAction = z.object({
  sessionId: Id,
  formMessageId: Id,
  actionId: Id,
  request: z
    .object({
      pathParams: Values.optional(),
      queryParams: Values.optional(),
      bodyParams: z.unknown().optional(),
      headers: Values.optional(),
    })
    .prefault({}),
});
export type ExecuteAction = z.infer<typeof ExecuteAction>;
