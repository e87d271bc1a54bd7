import { escapeHtml } from '../../html/page.rules.ts';

/** The fields of a contact available to templates. */
export interface TemplateContact {
  id: string;
  name: string | null;
  email: string | null;
  phone_number: string | null;
  custom_data: Readonly<Record<string, unknown>>;
}

/** Stands in when there is no contact: every placeholder shows its fallback. */
export const EMPTY_CONTACT: TemplateContact = { id: '', name: null, email: null, phone_number: null, custom_data: {} };

type FieldReader = (contact: TemplateContact) => unknown;

interface Placeholder {
  /** The field, such as contact.name. */
  field: string;
  read: FieldReader;
  fallback: string;
}

/** A text with placeholders for a contact's fields: parsed once, rendered for any number of contacts. */
export type Template = readonly (string | Placeholder)[];

/** `at` is the position of the faulty {{ in the text, counted from 0. */
export interface TemplateProblem {
  message: string;
  at: number;
}

const FIELDS = new Map<string, FieldReader>([
  ['contact.id', ({ id }) => id],
  ['contact.name', ({ name }) => name],
  ['contact.email', ({ email }) => email],
  ['contact.phone_number', ({ phone_number }) => phone_number],
]);
const CUSTOM_DATA = 'contact.custom_data.';

const BRACES = /\\?\{\{|\}\}/g;
const LITERAL_HINT = 'a literal {{ is written \\{{';
const ALLOWED_HINT = `use ${[...FIELDS.keys()].join(', ')} or ${CUSTOM_DATA}<key>; ${LITERAL_HINT}`;
const UNCLOSED_PROBLEM = `{{ is not closed by }} before the next brace; ${LITERAL_HINT}`;
const MAX_QUOTE_LENGTH = 60;

/** The longest text for one contact. Values may make it thousands of times longer than its template. */
export const MAX_RENDERED_LENGTH = 1_000_000;

/**
 * Parses placeholders such as `{{contact.name|fallback}}`, ignoring white space around either part. `\{{` stands for a
 * literal `{{`. A `}}` without an opening `{{` is text, as in CSS and JSON. Returns every problem of the text, in
 * order. Takes time in proportion to the length of the text.
 */
export function parseTemplate(text: string): { ok: Template } | { problems: TemplateProblem[] } {
  const parts: (string | Placeholder)[] = [];
  const problems: TemplateProblem[] = [];
  let opened: number | null = null;
  let rest = 0;
  for (const { 0: braces, index } of text.matchAll(BRACES)) {
    if (braces === '}}') {
      if (opened === null) continue;
      const place = parsePlaceholder(text.slice(opened + 2, index));
      if (typeof place === 'string') problems.push({ message: place, at: opened });
      else parts.push(place);
      opened = null;
      rest = index + 2;
      continue;
    }
    if (opened === null) parts.push(text.slice(rest, index));
    else problems.push({ message: UNCLOSED_PROBLEM, at: opened });
    opened = braces === '{{' ? index : null;
    rest = index + 1;
  }
  if (opened !== null) problems.push({ message: UNCLOSED_PROBLEM, at: opened });
  return problems.length > 0 ? { problems } : { ok: [...parts, text.slice(rest)] };
}

/**
 * Renders the text for one contact. A missing or blank value is replaced by its fallback, empty by default. Returns
 * undefined, as the other functions do, if the text becomes longer than MAX_RENDERED_LENGTH.
 */
export const renderText = (template: Template, contact: TemplateContact): string | undefined =>
  render(template, contact, (value) => value);

/** Returns the fields of a template that a contact does not have, and that have no fallback. */
export const missingIn = (template: Template, contact: TemplateContact): string[] => [
  ...new Set(
    template.flatMap((part) =>
      typeof part === 'string' || part.fallback !== '' || textOf(part.read(contact)) !== undefined ? [] : [part.field],
    ),
  ),
];

/** Renders an HTML template: values and fallbacks are escaped, safe as content and in quoted attributes. */
export const renderHtml = (template: Template, contact: TemplateContact): string | undefined =>
  render(template, contact, escapeHtml);

/** Renders a header: no value or fallback can break the line or carry control characters. */
export const renderHeader = (template: Template, contact: TemplateContact): string | undefined =>
  render(template, contact, (value) => value.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim());

function render(template: Template, contact: TemplateContact, write: (value: string) => string): string | undefined {
  let text = '';
  for (const part of template) {
    text += typeof part === 'string' ? part : write(textOf(part.read(contact)) ?? part.fallback);
    if (text.length > MAX_RENDERED_LENGTH) return undefined;
  }
  return text;
}

/** Returns undefined if there is nothing to show: objects, null, texts of white space and control characters only. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && /[^\s\p{Cc}]/u.test(value) ? value : undefined;
}

/** Parses the placeholder between {{ and }}. Returns a message if it is invalid. */
function parsePlaceholder(inside: string): Placeholder | string {
  if (/[{}]/.test(inside)) return UNCLOSED_PROBLEM;
  const [name = '', ...fallback] = inside.split('|');
  const field = name.trim();
  if (field === '') return `{{ }} names no field; ${ALLOWED_HINT}`;
  const read = readerOf(field);
  if (read === undefined) return `unknown field ${quote(field)}; ${ALLOWED_HINT}`;
  return { field, read, fallback: fallback.join('|').trim() };
}

function readerOf(field: string): FieldReader | undefined {
  const key = field.startsWith(CUSTOM_DATA) ? field.slice(CUSTOM_DATA.length) : '';
  return key === '' ? FIELDS.get(field) : ({ custom_data }) => custom_data[key];
}

const quote = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH).toWellFormed()}…` : text);
