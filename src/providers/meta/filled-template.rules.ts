import { toParameterText } from './parameters.rules.ts';
import type { MetaTemplate, WhatsAppComponent } from './port.ts';

/** The components of a template message, and the text that the contact reads. */
export interface FilledTemplate {
  components: WhatsAppComponent[];
  text: string;
}

type Problem = { problem: string };

/** The variables of each kind of header that is no text, in order. */
const HEADER_FIELDS = new Map([
  ['image', ['link']],
  ['video', ['link']],
  ['document', ['link']],
  ['location', ['latitude', 'longitude', 'name', 'address']],
]);

/** Returns the variables of a header that is no text. */
export const headerFieldsOf = (kind: string): string[] => HEADER_FIELDS.get(kind) ?? [];

/** Returns the distinct names between double braces. */
export const placeholdersIn = (text = ''): string[] => [
  ...new Set(Array.from(text.matchAll(/\{\{\s*(\w+)\s*\}\}/g), ([, name = '']) => name)),
];

/**
 * Fills a template with the variables in the order header, body, buttons. If the variables do not fit, returns the
 * problem as a phrase following the template's name.
 */
export function fillTemplate(template: MetaTemplate, variables: string[]): FilledTemplate | Problem {
  const { mediaHeader, places } = template;
  if (mediaHeader !== undefined && !HEADER_FIELDS.has(mediaHeader))
    return { problem: `has a header of kind ${mediaHeader}, which variables cannot fill` };
  const count = places.header.length + places.body.length + places.buttons.length;
  if (variables.length !== count)
    return { problem: `takes ${describeCount(template, count)}, not ${variables.length}` };
  const values = variables.map(toParameterText);
  const blank = values.indexOf('');
  if (blank !== -1) return { problem: `takes no blank variable, as number ${blank + 1} is` };

  const header = valuesOf(places.header, values);
  const problem = mediaHeader === undefined ? undefined : problemOf(mediaHeader, header);
  if (problem !== undefined) return { problem };
  const body = valuesOf(places.body, values.slice(header.size));
  const buttons = valuesOf(places.buttons, values.slice(header.size + body.size));
  return { components: componentsOf(template, { header, body, buttons }), text: textOf(template, header, body) };
}

type Values = Map<string, string>;

const valuesOf = (names: string[], values: string[]): Values =>
  new Map(names.map((name, index) => [name, values[index] ?? '']));

function componentsOf(
  { parameterFormat, mediaHeader }: MetaTemplate,
  { header, body, buttons }: { header: Values; body: Values; buttons: Values },
): WhatsAppComponent[] {
  const texts = (values: Values) =>
    Array.from(values, ([name, text]) => ({
      type: 'text',
      ...(parameterFormat === 'named' && { parameter_name: name }),
      text,
    }));
  const components: WhatsAppComponent[] = [
    {
      type: 'header',
      parameters:
        mediaHeader === undefined ? texts(header) : [{ type: mediaHeader, [mediaHeader]: Object.fromEntries(header) }],
    },
    { type: 'body', parameters: texts(body) },
    ...Array.from(buttons, ([index, text]) => ({
      type: 'button' as const,
      sub_type: 'url' as const,
      index,
      parameters: [{ type: 'text', text }],
    })),
  ];
  return components.filter(({ parameters }) => parameters.length > 0);
}

/** Returns why the values of a header that is no text cannot be sent. */
function problemOf(kind: string, values: Values): string | undefined {
  const link = values.get('link');
  if (link !== undefined && !isWebAddress(link)) return `takes the http or https URL of a file as its ${kind}`;
  const isOff = (field: string, limit: number) => {
    const value = values.get(field);
    return value !== undefined && !(/^-?\d{1,3}(\.\d{1,20})?$/.test(value) && Math.abs(Number(value)) <= limit);
  };
  return isOff('latitude', 90) || isOff('longitude', 180)
    ? 'takes latitude, longitude, name and address of a location, the first two as degrees such as 51.5'
    : undefined;
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
}

/** Returns what the contact reads: header, body, footer and the labels of buttons. */
function textOf({ mediaHeader, texts }: MetaTemplate, header: Values, body: Values): string {
  const top =
    mediaHeader === undefined
      ? filled(texts.header, header)
      : `[${mediaHeader}: ${[...(mediaHeader === 'location' ? locationOf(header) : header.values())].join(', ')}]`;
  const buttons = texts.buttons.map((label) => `[${label}]`).join(' ');
  return [top, filled(texts.body, body), texts.footer, buttons].filter((part) => part.trim() !== '').join('\n\n');
}

const locationOf = (values: Values) =>
  ['name', 'address', 'latitude', 'longitude'].map((field) => values.get(field) ?? '');

const filled = (text: string, values: Values): string =>
  text.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (place, name: string) => values.get(name) ?? place);

/** Returns for example `3 variables (1 in the header, 2 in the body)`. */
function describeCount({ places: { header, body, buttons }, mediaHeader }: MetaTemplate, count: number): string {
  if (count === 0) return 'no variables';
  const top =
    mediaHeader === undefined ? 'in the header' : `for the ${mediaHeader} in the header: ${header.join(', ')}`;
  const parts = Object.entries({ [top]: header, 'in the body': body, 'in the buttons': buttons })
    .filter(([, names]) => names.length > 0)
    .map(([where, names]) => `${names.length} ${where}`);
  return `${count} variable${count === 1 ? '' : 's'} (${parts.join(', ')})`;
}
