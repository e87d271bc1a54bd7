import type { TextFormat } from '../answers/extractive.rules.ts';

const GROUPS = ['path_params', 'query_params', 'body_params', 'headers', 'cookies'] as const;
const MAX_VALUE = 300;

/** An argument as it is shown to whoever confirms. */
export interface ConfirmationField {
  name: string;
  value: string;
}

/** Returns all arguments of a call, in full. */
export const fieldsOf = (given: Record<string, unknown>): ConfirmationField[] =>
  GROUPS.flatMap((group) => membersOf(given[group])).map(([name, value]) => ({ name, value: textOf(value) }));

function membersOf(value: unknown): [string, unknown][] {
  if (value === undefined) return [];
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
    : [['body', value]];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * Returns the text of a question with one line a field. Values are shown as they are: none becomes a link or markup where
 * the text is Markdown.
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

/** Returns a name that may stand in Markdown: without its signs. */
export const plainName = (name: string): string =>
  name
    .replace(/[\\`*_{}[\]()#<>|~\n\r]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
