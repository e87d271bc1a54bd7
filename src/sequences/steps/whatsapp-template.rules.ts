import type { TemplateContact } from '../../contacts/templates/rules.ts';
import { toParameterText } from '../../providers/meta/parameters.rules.ts';
import type { WhatsAppComponent } from '../../providers/meta/port.ts';
import type { WhatsAppTemplateMapping, WhatsAppVariable } from './whatsapp-template.schema.ts';

type Contact = Omit<TemplateContact, 'id'>;
type HeaderParameter = NonNullable<WhatsAppTemplateMapping['header']>['parameters'][number];
type Fill = (variable: WhatsAppVariable) => string;

/**
 * Returns the template's components for this contact. A fallback also replaces blank values, as WhatsApp refuses a
 * blank parameter.
 */
export function renderTemplate(
  { header, body, buttons = [] }: WhatsAppTemplateMapping,
  contact: Contact,
): WhatsAppComponent[] {
  const fill: Fill = (variable) => toParameterText(resolve(variable, contact));
  const components: WhatsAppComponent[] = [
    { type: 'header', parameters: (header?.parameters ?? []).map((parameter) => fillParameter(parameter, fill)) },
    { type: 'body', parameters: (body?.parameters ?? []).map((parameter) => fillParameter(parameter, fill)) },
    ...buttons.map(({ type, sub_type, index, parameters }) => ({
      type,
      sub_type,
      index,
      parameters: parameters.map((parameter) => fillParameter(parameter, fill)),
    })),
  ];
  return components.filter(({ parameters }) => parameters.length > 0);
}

function fillParameter(parameter: HeaderParameter, fill: Fill): Record<string, unknown> {
  switch (parameter.type) {
    case 'text':
      return { ...parameter, text: fill(parameter.text) };
    case 'image':
      return { type: 'image', image: { link: fill(parameter.image.link) } };
    case 'video':
      return { type: 'video', video: { link: fill(parameter.video.link) } };
    case 'document':
      return { type: 'document', document: { link: fill(parameter.document.link) } };
    case 'location': {
      const { latitude, longitude, name, address } = parameter.location;
      return {
        type: 'location',
        location: { latitude: fill(latitude), longitude: fill(longitude), name: fill(name), address: fill(address) },
      };
    }
  }
}

function resolve(variable: WhatsAppVariable, contact: Contact): string {
  if (variable.type === 'CONSTANT') return variable.value;
  const value = variable.type === 'DYNAMIC' ? textOf(contact.custom_data[variable.ref]) : contact[FIELDS[variable.ref]];
  return value?.trim() ? value : variable.fallback;
}

const FIELDS = { CONTACT_NAME: 'name', CONTACT_EMAIL: 'email', CONTACT_NUMBER: 'phone_number' } as const;

/** Returns a value as text if it is readable in a sentence. Objects and lists are not. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
