import { z } from 'zod';
import { ProviderError } from '../../errors.ts';
import type { HttpClient } from '../egress/egress.ts';
import { jsonOf, requestFailure } from '../egress/provider-responses.ts';
import { callMeta, type MetaSettings } from './api.ts';
import { headerFieldsOf, placeholdersIn } from './filled-template.rules.ts';
import type { MetaTemplate } from './port.ts';

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
      buttons: z
        .array(z.object({ type: z.string(), text: z.string().optional(), url: z.string().optional() }))
        .optional(),
    }),
  ),
});

function toTemplate({ name, language, status, parameter_format, components }: z.infer<typeof TemplateResponse>) {
  const part = (type: string) => components.find((component) => component.type.toUpperCase() === type);
  const header = part('HEADER');
  const format = header?.format?.toLowerCase() ?? 'text';
  const buttons = part('BUTTONS')?.buttons ?? [];
  return {
    name,
    language,
    status,
    parameterFormat: parameter_format?.toUpperCase() === 'NAMED' ? 'named' : 'positional',
    mediaHeader: format === 'text' ? undefined : format,
    texts: {
      header: header?.text ?? '',
      body: part('BODY')?.text ?? '',
      footer: part('FOOTER')?.text ?? '',
      buttons: buttons.flatMap(({ text }) => text ?? []),
    },
    places: {
      header: format === 'text' ? placeholdersIn(header?.text) : headerFieldsOf(format),
      body: placeholdersIn(part('BODY')?.text),
      buttons: buttons.flatMap(({ url }, index) => (placeholdersIn(url).length > 0 ? [String(index)] : [])),
    },
  } satisfies MetaTemplate;
}
