import { z } from 'zod';
import { Country } from '../../contacts/phone-number.schema.ts';
import { HttpActionOverrides } from '../../contacts/schema.ts';
import { headerNameProblem, headerValueProblem } from '../../providers/egress/headers.rules.ts';
import { Brand } from '../brand/schema.ts';
import { ianaNameOf, timeZoneProblem } from '../time-zone-names.rules.ts';

const MAX_TOPICS = 100;
const MAX_TOPIC_MESSAGE = 1_000;
const MAX_STATUSES = 100;
const MAX_OVERRIDES = 64 * 1024;
const FIRST_CUSTOM_STATUS = 3;
const MAX_CATEGORIES = 100;
/** A week. */
const MAX_SURVEY_DELAY_MINUTES = 7 * 24 * 60;

const TimeOfDay = z.string().regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/, 'must be a time of day as HH:mm');
const EndOfQuietHours = z
  .string()
  .regex(/^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/, 'must be a time of day as HH:mm, 00:00 to 24:00');

/** The name of an IANA time zone. Letter case does not matter, and the answer has the name as IANA writes it. */
export const Timezone = z
  .string()
  .min(1)
  .max(64)
  .superRefine((name, context) => {
    const message = timeZoneProblem(name);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .overwrite((name) => ianaNameOf(name) ?? name)
  .meta({ examples: ['Europe/Berlin'] });

export const QuietHours = z
  .object({ start: TimeOfDay, end: EndOfQuietHours })
  .refine(({ start, end }) => start !== end, { path: ['end'], message: 'must differ from start' })
  .refine(({ start, end }) => start !== '00:00' || (end !== '24:00' && end !== '23:59'), {
    path: ['end'],
    message: 'must leave more of the day: messages would go out in its last minute or never',
  })
  .describe(
    'Hours without messages of sequences, in the recipient’s time zone. The org’s zone (UTC until set) counts for contacts with neither a zone nor a phone number. They may cross midnight. `24:00` is the end of the day.',
  );

const SessionStatus = z.object({ id: z.int().min(FIRST_CUSTOM_STATUS).max(32_767), name: z.string().min(1).max(100) });

const SessionStatuses = z
  .array(SessionStatus)
  .max(MAX_STATUSES)
  .refine(haveDistinctIds, 'must not use an id twice')
  .describe('Statuses of the org’s own, beside 0 open, 1 closed_resolved and 2 closed_unresolved.');

export const InsightCategories = z
  .array(z.string().trim().min(1).max(100))
  .max(MAX_CATEGORIES)
  .refine((names) => new Set(names).size === names.length, 'must not have a name twice')
  .describe('The categories of insights.');

const ActionOverrides = HttpActionOverrides.superRefine(({ headers = {} }, context) => {
  for (const [name, value] of Object.entries(headers)) {
    const message = headerNameProblem(name) ?? headerValueProblem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['headers', name], message });
  }
})
  .refine(({ hosts = [], ...groups }) => hosts.length > 0 || !Object.values(groups).some(hasValues), {
    path: ['hosts'],
    message: 'name the schemes and hosts that get the values, such as https://api.example.com',
    when: ({ issues }) => issues.length === 0,
  })
  .refine(
    (overrides) => JSON.stringify(overrides).length <= MAX_OVERRIDES,
    `must have at most ${MAX_OVERRIDES} characters as JSON`,
  )
  .describe(
    'Sent with every HTTP action that calls one of the `hosts`, unless the contact has its own value. Values are answered as ***; sent as that, they stay, but for no host that was not named before.',
  );

const hasValues = (group: object | undefined): boolean => Object.keys(group ?? {}).length > 0;

const CsatSurvey = z
  .object({
    channels: z.array(z.enum(['email', 'sms', 'whatsapp'])).max(3),
    delay_minutes: z.int().min(0).max(MAX_SURVEY_DELAY_MINUTES).describe('After the resolution.'),
  })
  .describe(
    'With `csat`, customers on these channels get a link to a survey once a session is resolved. null: on all three, after 5 minutes.',
  );

const shape = {
  timezone: Timezone.nullable(),
  quiet_hours: QuietHours.nullable(),
  country: Country.nullable().describe(
    'Where phone numbers without + and a country code are from. They are refused until it is set.',
  ),
  daily_cap: z.int().min(1).max(1_000_000).nullable().describe('Outbound messages a contact gets at most in a day.'),
  csat: z.boolean().nullable().describe('Whether customers are asked for a score when a session is resolved.'),
  csat_survey: CsatSurvey.nullable(),
  prohibited_topics: z
    .array(z.string().min(1).max(200))
    .max(MAX_TOPICS)
    .nullable()
    .describe('What the AI does not talk about: a session with such a message goes to people.'),
  prohibited_topic_message: z
    .string()
    .trim()
    .min(1)
    .max(MAX_TOPIC_MESSAGE)
    .nullable()
    .describe(
      'What the AI says instead, in every language. null: a sentence of Switchboard in the contact’s language.',
    ),
  session_statuses: SessionStatuses.nullable(),
  handoff_target: z.enum(['crm', 'miaw', 'none']).nullable().describe('Where sessions go that need a human.'),
  http_action_overrides: ActionOverrides.nullable(),
  lenient_input: z
    .boolean()
    .nullable()
    .describe('Whether unknown fields are ignored, as with `Prefer: handling=lenient`, instead of refused.'),
  mcp_confirm: z
    .enum(['client', 'dashboard'])
    .nullable()
    .describe(
      'Where a person confirms what assistants ask for: in a client of MCP that can ask, or always in the console, as with null.',
    ),
  handoff_on_first_message: z
    .boolean()
    .nullable()
    .describe('Whether a conversation of the widget is handed off to agents with its first message.'),
  generate_summary_and_sentiment_on_resolve: z
    .boolean()
    .nullable()
    .describe(
      'Whether sessions get a summary when they are resolved, unless the request that resolves one says otherwise.',
    ),
  insight_categories: InsightCategories.nullable(),
  brand: Brand.nullable(),
  member_capacity: z.int().min(1).max(10_000).nullable().describe('Open sessions that teams give a member at most.'),
};

/** Absent settings stay unchanged; null clears one. */
export const UpdateSettings = z
  .object(shape)
  .partial()
  .meta({
    id: 'UpdateOrganizationSettings',
    examples: [
      { timezone: 'Europe/Berlin', quiet_hours: { start: '21:00', end: '08:00' }, daily_cap: 3 },
      { csat: null },
    ],
  });
export type UpdateSettings = z.infer<typeof UpdateSettings>;

/** All settings. Null means off, or what the setting's description says. */
export const OrgSettings = z.object({ ...shape, timezone: z.string().nullable() }).meta({ id: 'OrganizationSettings' });
export type OrgSettings = z.infer<typeof OrgSettings>;

/** The settings, and what is wrong with them. */
export const OrgSettingsAnswer = OrgSettings.extend({
  warnings: z.array(z.string()).describe('What the settings lack to have an effect, and what to do. Empty: nothing.'),
}).meta({ id: 'OrganizationSettingsAnswer' });

/** The names of all settings. */
export const SETTING_NAMES = OrgSettings.keyof().options;

function haveDistinctIds(items: { id: number }[]): boolean {
  return new Set(items.map(({ id }) => id)).size === items.length;
}
