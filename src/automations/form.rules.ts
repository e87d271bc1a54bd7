import type { Issue } from '../errors.ts';
import type { Json } from './blocks.schema.ts';
import type { FormField } from './trigger-configuration.schema.ts';

const MOST_CHARACTERS = 20_000;
const EMAIL = /^[^\s@]{1,64}@[^\s@]+\.[^\s@]{2,}$/;
const NUMBER = /^[+-]?(\d{1,15}(\.\d{1,15})?|\.\d{1,15})$/;
const ON = new Set(['on', 'true', '1', 'yes']);
const OFF = new Set(['off', 'false', '0', 'no', '']);

/** What a form's submission says by the form's fields, or everything that is wrong with it. Other fields are dropped. */
export function readForm(
  fields: FormField[],
  given: { readonly [name: string]: unknown },
): { form: { [name: string]: Json } } | { issues: Issue[] } {
  const issues: Issue[] = [];
  const form: { [name: string]: Json } = {};
  for (const field of fields) {
    const read = readField(field, Object.hasOwn(given, field.name) ? given[field.name] : undefined);
    if ('fault' in read) issues.push({ path: `body.${field.name}`, message: read.fault });
    else form[field.name] = read.value;
  }
  return issues.length > 0 ? { issues } : { form };
}

type Read = { value: Json } | { fault: string };

function readField(field: FormField, given: unknown): Read {
  const isAbsent = given === undefined || given === null || given === '';
  if (field.type === 'checkbox') return readCheckbox(field, isAbsent ? 'off' : given);
  if (isAbsent) return field.required ? { fault: 'is required' } : { value: null };
  if (field.type === 'number') return readNumber(given);
  if (typeof given !== 'string') return { fault: 'must be text' };
  if (given.length > MOST_CHARACTERS) return { fault: `must have at most ${MOST_CHARACTERS} characters` };
  if (field.type === 'email' && !EMAIL.test(given))
    return { fault: 'must be an e-mail address, such as ada@example.com' };
  if (field.type === 'select' && !(field.options ?? []).includes(given))
    return { fault: `must be one of ${(field.options ?? []).slice(0, 20).join(', ')}` };
  return { value: given };
}

/** A form that is posted leaves out boxes that are not ticked. */
function readCheckbox({ required }: FormField, given: unknown): Read {
  const text = String(given).toLowerCase();
  if (!ON.has(text) && !OFF.has(text)) return { fault: 'must be true or false' };
  return required && OFF.has(text) ? { fault: 'must be ticked' } : { value: ON.has(text) };
}

function readNumber(given: unknown): Read {
  if (typeof given === 'number' && Number.isFinite(given)) return { value: given };
  if (typeof given === 'string' && NUMBER.test(given.trim())) return { value: Number(given) };
  return { fault: 'must be a number' };
}
