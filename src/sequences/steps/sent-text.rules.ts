import type { ProactiveContent } from '../../deliveries/sending/content.ts';
import { textOfHtml } from '../../html/text.rules.ts';

/** Returns what a contact reads of a message, without markup. A template's own words are at WhatsApp. */
export function sentTextOf({ channel, content }: ProactiveContent): string {
  switch (channel) {
    case 'email':
      return [content.subject, content.is_html ? textOfHtml(content.body) : content.body].join('\n\n');
    case 'sms':
      return content.body;
    case 'whatsapp':
      if ('template' in content) return textOfTemplate(content.template);
      return 'text' in content ? content.text : (content.file.caption ?? '');
    case 'voice':
      return '';
  }
}

function textOfTemplate({
  name,
  components,
}: {
  name: string;
  components: { parameters: Record<string, unknown>[] }[];
}) {
  const values = components
    .flatMap(({ parameters }) => parameters)
    .flatMap(({ text }) => (typeof text === 'string' ? text : []));
  return values.length === 0 ? `Template ${name}` : `Template ${name}: ${values.join(', ')}`;
}
