import type { JsonSchema } from '../definitions/schema.ts';
import { objectOf, propertyOf } from '../definitions/schema-parts.rules.ts';
import { hintsOf, isName, rootNameOf, validName, type XmlHints } from '../definitions/xml-names.rules.ts';
import { textOf } from './serialization.rules.ts';

/** Characters that no XML document may contain, not even as references. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it removes
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Returns the first name in a value that cannot be an element or an attribute. */
export function invalidNameIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inside] of Object.entries(value)) {
    if (!Array.isArray(value) && !isName(name)) return name;
    const invalid = invalidNameIn(inside);
    if (invalid !== undefined) return invalid;
  }
  return undefined;
}

/**
 * Returns a value as an XML document, as OpenAPI describes it: names, attributes, wrapped lists and namespaces come from
 * the schema's `xml`. Call it only with valid names. Values become text and never markup.
 */
export const xmlOf = (value: unknown, schema: JsonSchema | undefined): string =>
  `<?xml version="1.0" encoding="UTF-8"?>${elementOf(rootNameOf(schema) ?? '', value, schema)}`;

function elementOf(name: string, value: unknown, schema: JsonSchema | undefined): string {
  const hints = hintsOf(schema);
  const tag = prefixed(name, hints);
  if (Array.isArray(value)) return listOf(name, value, schema);
  const isObject = typeof value === 'object' && value !== null;
  const members = isObject ? Object.entries(value).map(([key, inside]) => memberOf(key, inside, schema)) : [];
  const attributes = members.filter(({ isAttribute }) => isAttribute).map(({ text }) => text);
  const content = isObject
    ? members.filter(({ isAttribute }) => !isAttribute).map(({ text }) => text)
    : [escaped(textOf(value))];
  return `<${[tag, ...namespaceOf(hints), ...attributes].join(' ')}>${content.join('')}</${tag}>`;
}

function memberOf(key: string, value: unknown, schema: JsonSchema | undefined) {
  const own = propertyOf(schema, key);
  const hints = hintsOf(own);
  const name = validName(hints.name) ?? key;
  if (hints.attribute === true && (typeof value !== 'object' || value === null))
    return { isAttribute: true, text: `${prefixed(name, hints)}="${escaped(textOf(value))}"` };
  return { isAttribute: false, text: elementOf(name, value, own) };
}

/** A list is one element for each item, within an element of its own if it is wrapped. */
function listOf(name: string, items: unknown[], schema: JsonSchema | undefined): string {
  const ofItems = objectOf(schema?.items);
  const hints = hintsOf(schema);
  const itemName = validName(hintsOf(ofItems).name) ?? name;
  const inside = items.map((item) => elementOf(itemName, item, ofItems)).join('');
  if (hints.wrapped !== true) return inside;
  const tag = prefixed(name, hints);
  return `<${[tag, ...namespaceOf(hints)].join(' ')}>${inside}</${tag}>`;
}

function prefixed(name: string, { prefix }: XmlHints): string {
  const whole = typeof prefix === 'string' && prefix !== '' ? `${prefix}:${name}` : name;
  return isName(whole) ? whole : name;
}

function namespaceOf({ namespace, prefix }: XmlHints): string[] {
  if (typeof namespace !== 'string' || namespace === '') return [];
  const name = typeof prefix === 'string' && isName(`xmlns:${prefix}`) ? `xmlns:${prefix}` : 'xmlns';
  return [`${name}="${escaped(namespace)}"`];
}

const escaped = (text: string): string =>
  text.replace(FORBIDDEN, '').replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
