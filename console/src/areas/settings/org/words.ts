import type { Schemas } from '../../../api/client';
import { linesOf, type Specs, valuesIn, type Written } from '../../../ui/forms/spec';
import { LANGUAGES } from '../frame/languages';

type Settings = Schemas['OrganizationSettingsAnswer'];

export const ORG_SPECS: Specs = {
  name: { kind: 'text', label: 'Name', isRequired: true },
  website: { kind: 'text', label: 'Website', maxLength: 2_048, placeholder: 'https://example.com' },
  language: {
    kind: 'choice',
    label: 'Language',
    options: LANGUAGES,
    hint: 'Of the AI where a customer’s is not known.',
  },
  ai_instructions: {
    kind: 'long',
    label: 'How the AI is to be',
    maxLength: 100_000,
    rows: 4,
    hint: 'Empty: as the partner says.',
  },
};

const SWITCH = [
  ['', 'Off, as usual'],
  ['true', 'On'],
  ['false', 'Off'],
] as const;
const QUIET_HOURS = ['quiet_hours.start', 'quiet_hours.end'];
const SWITCHES = ['handoff_on_first_message', 'generate_summary_and_sentiment_on_resolve', 'lenient_input'] as const;

/** The settings of the organization in groups, each a separate form. */
export const RULE_GROUPS: { title: string; specs: Specs }[] = [
  {
    title: 'Time and messages',
    specs: {
      timezone: { kind: 'text', label: 'Time zone', maxLength: 64, placeholder: 'Europe/Berlin', hint: 'Empty: UTC.' },
      country: {
        kind: 'text',
        label: 'Country of phone numbers',
        maxLength: 10,
        placeholder: 'DE',
        hint: 'Numbers without + and a country code are refused until it is set.',
      },
      'quiet_hours.start': { kind: 'text', label: 'Quiet from', placeholder: '21:00', maxLength: 8 },
      'quiet_hours.end': {
        kind: 'text',
        label: 'Quiet until',
        placeholder: '08:00',
        maxLength: 8,
        hint: 'Without messages of sequences, in the recipient’s time zone.',
      },
      daily_cap: {
        kind: 'number',
        label: 'Messages a contact gets at most a day',
        min: 1,
        max: 1_000_000,
        hint: 'Empty: no limit.',
      },
    },
  },
  {
    title: 'Conversations',
    specs: {
      member_capacity: {
        kind: 'number',
        label: 'Open conversations that teams give a member at most',
        min: 1,
        max: 10_000,
        hint: 'Empty: no limit.',
      },
      handoff_target: {
        kind: 'choice',
        label: 'A handoff goes also to',
        options: [
          ['', 'As usual'],
          ['none', 'Nowhere else'],
          ['crm', 'The CRM'],
          ['miaw', 'Salesforce'],
        ],
      },
      handoff_on_first_message: {
        kind: 'choice',
        label: 'Chats of the widget go to people with the first message',
        options: SWITCH,
      },
      generate_summary_and_sentiment_on_resolve: {
        kind: 'choice',
        label: 'Resolved conversations get a summary',
        options: SWITCH,
      },
      session_statuses: {
        kind: 'lines',
        label: 'Statuses of your own, one a line: 7 Waits for parts',
        hint: 'A number above 2 and a name. 0 to 2 are open, resolved and not resolved.',
      },
    },
  },
  {
    title: 'What the AI leaves to people',
    specs: {
      prohibited_topics: { kind: 'lines', label: 'Topics, one a line' },
      prohibited_topic_message: {
        kind: 'long',
        label: 'What it says then, in every language',
        maxLength: 1_000,
        rows: 2,
        hint: 'Empty: its own sentence in the customer’s language.',
      },
    },
  },
  {
    title: 'For programs',
    specs: {
      lenient_input: { kind: 'choice', label: 'Unknown fields of requests are ignored, not refused', options: SWITCH },
      mcp_confirm: {
        kind: 'choice',
        label: 'A person confirms what assistants ask for by MCP',
        options: [
          ['', 'As usual'],
          ['client', 'In the assistant, if it can ask'],
          ['dashboard', 'Always in the console'],
        ],
        hint: 'A yes in the assistant is its own word, and no proof of a person.',
      },
    },
  },
];

/** Returns the settings as their fields have them. */
export const shownRules = (settings: Settings): object => ({
  ...settings,
  session_statuses: (settings.session_statuses ?? []).map(({ id, name }) => `${id} ${name}`),
});

/** Returns the changes as the API takes them: null for an emptied value. Quiet hours are one setting of two values. */
export function rulesIn(specs: Specs, changes: Written, written: Written): Schemas['UpdateOrganizationSettings'] {
  const isQuiet = Object.keys(changes).some((name) => QUIET_HOURS.includes(name));
  const changed = Object.keys(specs).filter((name) => name in changes || (isQuiet && QUIET_HOURS.includes(name)));
  const sent = Object.fromEntries(changed.map((name) => [name, written[name] ?? '']));
  const values = valuesIn(specs, sent, { isNullable: true });
  for (const name of SWITCHES) if (typeof values[name] === 'string') values[name] = values[name] === 'true';
  for (const [name, value] of Object.entries(values))
    if (Array.isArray(value) && value.length === 0) values[name] = null;
  if ('session_statuses' in values) values.session_statuses = statusesIn(String(written.session_statuses ?? ''));
  if ('quiet_hours' in values && isEmpty(values.quiet_hours)) values.quiet_hours = null;
  return values as Schemas['UpdateOrganizationSettings'];
}

const isEmpty = (part: unknown): boolean =>
  typeof part === 'object' && part !== null && Object.values(part).every((value) => value === null);

/** A line without a number has none that the API takes: it says so. */
function statusesIn(text: string): { id: number; name: string }[] | null {
  const lines = linesOf(text);
  if (lines.length === 0) return null;
  return lines.map((line) => {
    const [, id = '-1', name = line] = /^(\d+)[\s:]+(.+)$/.exec(line) ?? [];
    return { id: Number(id), name };
  });
}
