import type { AiSettings } from '../../../api/ai';
import { slipIn } from '../../../ui/json/json-slip';

type Draft = AiSettings['draft'];
type SettingName = keyof Draft;

interface Base {
  name: SettingName;
  label: string;
  hint?: string;
}

/** How a setting is written: as a choice, a number, a text a line, or JSON. */
export type SettingField = Base &
  (
    | { kind: 'choice'; options: [value: string, name: string][] }
    | { kind: 'number'; step: string; min: number; max?: number }
    | { kind: 'lines' }
    | { kind: 'json' }
  );

const FALL_BACK: [string, string][] = [
  ['extractive', 'Quotes alone, without a model'],
  ['handoff', 'A person'],
];

export const SETTING_GROUPS: { title: string; fields: SettingField[] }[] = [
  {
    title: 'Answers',
    fields: [
      {
        kind: 'choice',
        name: 'mode',
        label: 'What it says',
        options: [
          ['cited', 'Sentences of a model, each with its source'],
          ['canned', 'Approved sentences only, chosen by a model'],
          ['extractive', 'Quotes alone, without a model'],
        ],
      },
      {
        kind: 'lines',
        name: 'models',
        label: 'Models, the first one first',
        hint: 'Empty: the model of the connection.',
      },
      {
        kind: 'json',
        name: 'canned_answers',
        label: 'Approved sentences',
        hint: 'A list of {"name": …, "text": …}.',
      },
      { kind: 'lines', name: 'allowed_links', label: 'Addresses it may link to, by their beginnings' },
      {
        kind: 'lines',
        name: 'context_fields',
        label: 'What models get of a contact',
        hint: 'name, email, phone or custom_data.<key>.',
      },
      { kind: 'json', name: 'phrases', label: 'Its fixed sentences, by language' },
    ],
  },
  {
    title: 'People',
    fields: [
      {
        kind: 'choice',
        name: 'handoff_level',
        label: 'Hands off without an answer',
        options: [
          ['0', 'Never by itself'],
          ['1', 'At once'],
          ['2', 'After two questions'],
          ['3', 'After answers without progress'],
        ],
      },
      { kind: 'number', name: 'max_turns_without_progress', label: 'Answers without progress', step: '1', min: 1 },
      {
        kind: 'choice',
        name: 'reopen_goes_to',
        label: 'A reopened conversation goes to',
        options: [
          ['ai', 'The AI'],
          ['people', 'People'],
        ],
      },
      {
        kind: 'number',
        name: 'assume_resolved_after_minutes',
        label: 'Resolved after so many silent minutes',
        hint: 'Empty: never.',
        step: '1',
        min: 1,
      },
      { kind: 'json', name: 'quiet_seconds', label: 'Seconds of quiet before it answers, by channel' },
      { kind: 'json', name: 'cap_seconds', label: 'Seconds it waits at most, by channel' },
    ],
  },
  {
    title: 'Limits and budgets',
    fields: [
      {
        kind: 'json',
        name: 'budgets',
        label: 'Budgets of an answer, a conversation, a day and a month',
        hint: 'By the names turn, session, day and month: {"day": {"tokens": 1000000, "cost": 20}}',
      },
      { kind: 'json', name: 'prices', label: 'What a million tokens of a model cost' },
      { kind: 'choice', name: 'on_budget', label: 'Where a budget is used up', options: FALL_BACK },
      { kind: 'choice', name: 'on_provider_down', label: 'Where no model answers', options: FALL_BACK },
      { kind: 'number', name: 'max_steps', label: 'Questions to a model for an answer', step: '1', min: 1 },
      { kind: 'number', name: 'max_calls', label: 'Calls of actions for an answer', step: '1', min: 0 },
    ],
  },
  {
    title: 'Quality',
    fields: [
      {
        kind: 'number',
        name: 'max_wrong',
        label: 'Share of wrong answers',
        hint: 'The next calibration aims at it.',
        step: 'any',
        min: 0,
        max: 1,
      },
      {
        kind: 'json',
        name: 'publish_requires',
        label: 'What of the test questions must pass before a draft is published',
        hint: '{"min_pass": 0.9}, or null for nothing.',
      },
    ],
  },
];

/** Returns a setting as its field shows it. */
export function writtenOf({ kind, name }: SettingField, draft: Draft): string {
  const value = draft[name];
  if (kind === 'json') return JSON.stringify(value, null, 2);
  if (kind === 'lines') return (value as string[]).join('\n');
  return value === null ? '' : String(value);
}

/** Returns a setting in the form of its field, or the problem of the written text. */
export function settingIn(field: SettingField, text: string, draft: Draft): { value: unknown } | { problem: string } {
  if (field.kind === 'lines')
    return {
      value: text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    };
  if (field.kind === 'number') return text === '' ? { value: null } : { value: Number(text) };
  if (field.kind === 'choice') return { value: typeof draft[field.name] === 'number' ? Number(text) : text };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: slipIn(text) };
  }
}

/** Returns settings as lines, each setting where it always is. */
export const linesOf = (settings: Draft): string[] =>
  JSON.stringify(
    Object.fromEntries(SETTING_GROUPS.flatMap(({ fields }) => fields.map(({ name }) => [name, settings[name]]))),
    null,
    2,
  ).split('\n');
