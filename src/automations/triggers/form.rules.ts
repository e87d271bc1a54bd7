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

/** What is wrong with a field. */
export type FormFault =
  | { kind: 'absent' | 'unticked' | 'no-number' | 'no-email' | 'no-text' | 'no-truth' }
  | { kind: 'no-option'; options: string[] }
  | { kind: 'too-long'; maximum: number };

/** Returns the values of a form's fields, or all problems with them. Unknown fields are dropped. */
export function parseForm(
  fields: FormField[],
  given: { readonly [name: string]: unknown },
): { form: { [name: string]: Json } } | { issues: Issue[] } {
  const read = readFields(fields, given);
  const issues = read.flatMap(({ name, fault }) =>
    fault === undefined ? [] : [{ path: `body.${name}`, message: messageOf(fault) }],
  );
  return issues.length > 0 ? { issues } : { form: Object.fromEntries(read.map(({ name, value }) => [name, value])) };
}

/** Returns what is wrong with fields, by their names. */
export const faultsIn = (fields: FormField[], given: { readonly [name: string]: unknown }): Map<string, FormFault> =>
  new Map(readFields(fields, given).flatMap(({ name, fault }) => (fault === undefined ? [] : [[name, fault]])));

interface ReadField {
  name: string;
  value: Json;
  fault?: FormFault;
}

const readFields = (fields: FormField[], given: { readonly [name: string]: unknown }): ReadField[] =>
  fields.map((field) => {
    const { name } = field;
    const read = parseField(field, Object.hasOwn(given, name) ? given[name] : undefined);
    return 'fault' in read ? { name, value: null, fault: read.fault } : { name, value: read.value };
  });

const MAX_LISTED_OPTIONS = 20;

function messageOf(fault: FormFault): string {
  switch (fault.kind) {
    case 'absent':
      return 'is required';
    case 'unticked':
      return 'must be ticked';
    case 'no-number':
      return 'must be a number';
    case 'no-email':
      return 'must be an e-mail address, such as ada@example.com';
    case 'no-text':
      return 'must be text';
    case 'no-truth':
      return 'must be true or false';
    case 'no-option':
      return `must be one of ${fault.options.slice(0, MAX_LISTED_OPTIONS).join(', ')}`;
    case 'too-long':
      return `must have at most ${fault.maximum} characters`;
  }
}

type ParsedField = { value: Json } | { fault: FormFault };

const faulty = (kind: Exclude<FormFault['kind'], 'no-option' | 'too-long'>): ParsedField => ({ fault: { kind } });

function parseField(field: FormField, given: unknown): ParsedField {
  const isAbsent = given === undefined || given === null || given === '';
  if (field.type === 'checkbox') return parseCheckbox(field, isAbsent ? 'off' : given);
  if (isAbsent) return field.required ? faulty('absent') : { value: null };
  if (field.type === 'number') return parseNumber(given);
  if (typeof given !== 'string') return faulty('no-text');
  if (given.length > MAX_CHARACTERS) return { fault: { kind: 'too-long', maximum: MAX_CHARACTERS } };
  if (field.type === 'email' && !(given.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(given))) return faulty('no-email');
  const { options = [] } = field;
  if (field.type === 'select' && !options.includes(given)) return { fault: { kind: 'no-option', options } };
  return { value: given };
}

/** A browser omits unchecked boxes from a submitted form. */
function parseCheckbox({ required }: FormField, given: unknown): ParsedField {
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean') return faulty('no-truth');
  const text = String(given).toLowerCase();
  if (!CHECKED_VALUES.has(text) && !UNCHECKED_VALUES.has(text)) return faulty('no-truth');
  return required && UNCHECKED_VALUES.has(text) ? faulty('unticked') : { value: CHECKED_VALUES.has(text) };
}

function parseNumber(given: unknown): ParsedField {
  if (typeof given === 'number' && Number.isFinite(given)) return { value: given };
  if (typeof given === 'string' && given.length <= MAX_NUMBER_CHARACTERS && NUMBER.test(given.trim()))
    return { value: Number(given) };
  return faulty('no-number');
}
