import type { Issue } from '../../errors.ts';
import type { Json } from '../blocks/schema.ts';
import type { FormField } from './configuration.schema.ts';

const MAX_CHARACTERS = 20_000;
const MAX_EMAIL_CHARACTERS = 320;
const EMAIL = /^[^\s@]{1,64}@[^\s@]+\.[^\s@]{2,}$/;
const MAX_NUMBER_CHARACTERS = 100;
const NUMBER = /^[+-]?(\d{1,15}(\.\d{1,15})?|\.\d{1,15})$/;
const CHECKED_VALUES = new Set(['on', 'true', '1', 'yes']);
const UNCHECKED_VALUES = new Set(['off', 'false', '0', 'no', '']);

/** Returns the values of a form's fields, or all problems with them. Unknown fields are dropped. */
export function parseForm(
  fields: FormField[],
  given: { readonly [name: string]: unknown },
): { form: { [name: string]: Json } } | { issues: Issue[] } {
  const issues: Issue[] = [];
  const form: { [name: string]: Json } = {};
  for (const field of fields) {
    const read = parseField(field, Object.hasOwn(given, field.name) ? given[field.name] : undefined);
    if ('fault' in read) issues.push({ path: `body.${field.name}`, message: read.fault });
    else form[field.name] = read.value;
  }
  return issues.length > 0 ? { issues } : { form };
}

type ParsedField = { value: Json } | { fault: string };

function parseField(field: FormField, given: unknown): ParsedField {
  const isAbsent = given === undefined || given === null || given === '';
  if (field.type === 'checkbox') return parseCheckbox(field, isAbsent ? 'off' : given);
  if (isAbsent) return field.required ? { fault: 'is required' } : { value: null };
  if (field.type === 'number') return parseNumber(given);
  if (typeof given !== 'string') return { fault: 'must be text' };
  if (given.length > MAX_CHARACTERS) return { fault: `must have at most ${MAX_CHARACTERS} characters` };
  if (field.type === 'email' && !(given.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(given)))
    return { fault: 'must be an e-mail address, such as ada@example.com' };
  if (field.type === 'select' && !(field.options ?? []).includes(given))
    return { fault: `must be one of ${(field.options ?? []).slice(0, 20).join(', ')}` };
  return { value: given };
}

/** A browser omits unchecked boxes from a submitted form. */
function parseCheckbox({ required }: FormField, given: unknown): ParsedField {
  const text = String(given).toLowerCase();
  if (!CHECKED_VALUES.has(text) && !UNCHECKED_VALUES.has(text)) return { fault: 'must be true or false' };
  return required && UNCHECKED_VALUES.has(text) ? { fault: 'must be ticked' } : { value: CHECKED_VALUES.has(text) };
}

function parseNumber(given: unknown): ParsedField {
  if (typeof given === 'number' && Number.isFinite(given)) return { value: given };
  if (typeof given === 'string' && given.length <= MAX_NUMBER_CHARACTERS && NUMBER.test(given.trim()))
    return { value: Number(given) };
  return { fault: 'must be a number' };
}
