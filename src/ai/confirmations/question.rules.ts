import type { TextFormat } from '../answers/extractive.rules.ts';

const GROUPS = ['path_params', 'query_params', 'body_params', 'headers', 'cookies'] as const;
const MAX_VALUE = 300;

/** An argument as it is shown to whoever confirms. */
export interface ConfirmationField {
  name: string;
  value: string;
  /** The group of the argument, for a form with this argument. */
  in?: string;
}

/**
 * Characters for the direction of text, invisible ones, and those for the control of a terminal (Unicode: Bidi_Control,
 * Cf and Cc).
 */
const UNSEEN = /[\p{Bidi_Control}\p{Cc}\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff]/gu;
const LINE = /[\t\n\r]/;

/** Returns a text with its unseen characters as marks, such as [U+202E]: none makes it look like another text. */
const visible = (text: string): string =>
  text.replace(UNSEEN, (character) =>
    LINE.test(character) ? character : `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );

/** Returns all arguments of a call, in full, as they are shown to whoever confirms. */
export const fieldsOf = (given: Record<string, unknown>): ConfirmationField[] =>
  groupedFieldsOf(given).map(({ name, value }) => ({ name, value }));

/** Returns the same with the group of each argument, for a form to change it. */
export const groupedFieldsOf = (given: Record<string, unknown>): Required<ConfirmationField>[] =>
  GROUPS.flatMap((group) =>
    membersOf(given[group]).map(([name, value]) => ({ name: visible(name), value: visible(textOf(value)), in: group })),
  );

function membersOf(value: unknown): [string, unknown][] {
  if (value === undefined) return [];
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
    : [['body', value]];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * Returns the text of a question with one line a field. Values are shown as they are: in Markdown, none becomes a link
 * or markup.
 */
export function renderQuestion(
  { question, fields, hint, url }: { question: string; fields: ConfirmationField[]; hint: string; url: string },
  format: TextFormat,
): string {
  const lines = fields.map(({ name, value }) => `- ${shown(name, format)}: ${shown(value, format)}`);
  return [[question, ...lines].join('\n'), hint, url].join('\n\n');
}

function shown(text: string, format: TextFormat): string {
  const line = text.replace(/\s+/g, ' ').replace(/\s+/g, ' ').trim();
  const cut = line.length > MAX_VALUE ? `${line.slice(0, MAX_VALUE).toWellFormed()}…` : line;
  return format === 'plain' ? cut : `\`${cut.replaceAll('`', "'")}\``;
}

/** Returns a name safe for Markdown: without its signs. */
export const plainName = (name: string): string =>
  name
    .replace(/[\\`*_{}[\]()#<>|~\n\r]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
