/** Matches markup in a document without line breaks. An unclosed match ends with the document, so one pass is enough. */
const MARKUP =
  /<!--.*?(?:-->|$)|<(style|script|head|title)\b.*?(?:<\/\1 ?>|$)|<\/?([a-z][a-z\d]*)[^>]*(?:>|$)|<[!?][^>]*(?:>|$)/gi;
const BLOCK = /^(?:address|article|blockquote|div|dd|dl|dt|footer|h[1-6]|header|hr|li|ol|p|pre|section|table|tr|ul)$/i;
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi;
const NAMED_ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const MAX_CODE_POINT = 0x10ffff;

/**
 * Returns the text of an HTML e-mail without tags and with its line breaks. Half a character, as `&#xd83d;` names, becomes
 * U+FFFD. Takes time linear in the length of any input.
 */
export function textOfHtml(html: string): string {
  return html
    .replace(/\s+/g, ' ')
    .replace(MARKUP, (_, _hidden, tag: string = '') => lineBreakOf(tag))
    .replace(/ +/g, ' ')
    .replace(/ ?([\r\n]) ?/g, '$1')
    .replace(/\r+/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(ENTITY, (entity, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED_ENTITIES[name.toLowerCase()] ?? entity;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0 && code <= MAX_CODE_POINT ? String.fromCodePoint(code) : entity;
    })
    .toWellFormed()
    .trim();
}

/** Returns a carriage return for a block's begin or end: several in a row become one line break. */
const lineBreakOf = (tag: string) => (BLOCK.test(tag) ? '\r' : tag.toLowerCase() === 'br' ? '\n' : '');
