import { z } from 'zod';
import { ProviderError } from '../../errors.ts';
import type { HttpClient } from '../egress/egress.ts';
import { jsonOf, requestFailure } from '../egress/provider-responses.ts';
import { callMeta, type MetaSettings } from './api.ts';
import { toParameterText } from './parameters.rules.ts';
import type { WhatsAppComponent } from './port.ts';

export interface MetaTemplate {
  name: string;
  language: string;
  /** Meta's own value: only APPROVED templates can be sent. */
  status: string;
  parameterFormat: 'positional' | 'named';
  /** A header variables cannot fill, such as `image` or `location`. */
  mediaHeader: string | undefined;
  /**
   * The placeholders for variables, in order: those of the texts by name, and the indices of buttons with a placeholder
   * in their link.
   */
  places: { header: string[]; body: string[]; buttons: string[] };
}

const FIELDS = 'name,language,status,parameter_format,components';
const INVALID_PARAMETER_CODE = 100;

/** Finds the template of this id. Returns undefined if Meta does not know it or does not show it to this token. */
export async function findTemplate(
  egress: HttpClient,
  settings: MetaSettings,
  templateId: string,
): Promise<MetaTemplate | undefined> {
  if (!/^\d+$/.test(templateId)) return undefined;
  const answer = await callMeta(egress, settings, `${templateId}?fields=${FIELDS}`);
  if (answer.status === 404 || answer.code === INVALID_PARAMETER_CODE) return undefined;
  if (answer.status !== 200) throw requestFailure(answer, `Meta did not show the template: ${answer.reason}`);
  const template = TemplateResponse.safeParse(jsonOf(answer));
  if (!template.success) throw new ProviderError('Meta answered with no template', { transient: false });
  return toTemplate(template.data);
}

/**
 * Returns the components for the variables in the order header, body, buttons. If the variables do not fit, returns the
 * problem as a phrase following the template's name.
 */
export function componentsFor(
  { parameterFormat, mediaHeader, places }: MetaTemplate,
  variables: string[],
): { components: WhatsAppComponent[] } | { problem: string } {
  if (mediaHeader !== undefined) return { problem: `has a header of kind ${mediaHeader}, which variables cannot fill` };
  const count = places.header.length + places.body.length + places.buttons.length;
  if (variables.length !== count) return { problem: `takes ${describeCount(places, count)}, not ${variables.length}` };
  const texts = variables.map(toParameterText);
  const blank = texts.indexOf('');
  if (blank !== -1) return { problem: `takes no blank variable, as number ${blank + 1} is` };

  const fill = (names: string[]) =>
    names.map((name) => ({
      type: 'text',
      ...(parameterFormat === 'named' && { parameter_name: name }),
      text: texts.shift(),
    }));
  const components: WhatsAppComponent[] = [
    { type: 'header', parameters: fill(places.header) },
    { type: 'body', parameters: fill(places.body) },
    ...places.buttons.map((index) => ({
      type: 'button' as const,
      sub_type: 'url' as const,
      index,
      parameters: [{ type: 'text', text: texts.shift() }],
    })),
  ];
  return { components: components.filter(({ parameters }) => parameters.length > 0) };
}

const TemplateResponse = z.object({
  name: z.string(),
  language: z.string(),
  status: z.string(),
  parameter_format: z.string().optional(),
  components: z.array(
    z.object({
      type: z.string(),
      format: z.string().optional(),
      text: z.string().optional(),
      buttons: z.array(z.object({ type: z.string(), url: z.string().optional() })).optional(),
    }),
  ),
});

function toTemplate({ name, language, status, parameter_format, components }: z.infer<typeof TemplateResponse>) {
  const part = (type: string) => components.find((component) => component.type.toUpperCase() === type);
  const header = part('HEADER');
  const format = header?.format?.toLowerCase() ?? 'text';
  return {
    name,
    language,
    status,
    parameterFormat: parameter_format?.toUpperCase() === 'NAMED' ? 'named' : 'positional',
    mediaHeader: format === 'text' ? undefined : format,
    places: {
      header: placeholdersIn(header?.text),
      body: placeholdersIn(part('BODY')?.text),
      buttons: (part('BUTTONS')?.buttons ?? []).flatMap(({ url }, index) =>
        placeholdersIn(url).length > 0 ? [String(index)] : [],
      ),
    },
  } satisfies MetaTemplate;
}

/** Returns the distinct names between double braces. */
const placeholdersIn = (text = ''): string[] => [
  ...new Set(Array.from(text.matchAll(/\{\{\s*(\w+)\s*\}\}/g), ([, name = '']) => name)),
];

/** Returns for example `3 variables (1 in the header, 2 in the body)`. */
function describeCount({ header, body, buttons }: MetaTemplate['places'], count: number): string {
  if (count === 0) return 'no variables';
  const parts = Object.entries({ 'the header': header, 'the body': body, 'the buttons': buttons })
    .filter(([, names]) => names.length > 0)
    .map(([where, names]) => `${names.length} in ${where}`);
  return `${count} variable${count === 1 ? '' : 's'} (${parts.join(', ')})`;
}
