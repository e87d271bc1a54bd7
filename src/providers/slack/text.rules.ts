/** The characters that Slack reads as control sequences, with their escapes. */
const ESCAPES: [character: string, written: string][] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
];

/** Returns a plain text as Slack takes it. It mentions nobody, whatever it says. */
export const toSlackText = (text: string): string =>
  ESCAPES.reduce((escaped, [character, written]) => escaped.replaceAll(character, written), text);

/** A link, a mention or a date, with its label if there is one. */
const SEQUENCE = /<([^<>|]{1,2048})(?:\|([^<>]{0,2048}))?>/g;

/** Returns the plain text of a message of Slack. `botId`: the user that a mention at the beginning may address. */
export function fromSlackText(text: string, botId: string | undefined): string {
  const addressed = botId === undefined ? text : withoutStart(text, `<@${botId}>`);
  const plain = addressed.replaceAll(SEQUENCE, (_, target: string, label: string | undefined) => shown(target, label));
  return ESCAPES.toReversed().reduce((rest, [character, written]) => rest.replaceAll(written, character), plain);
}

const withoutStart = (text: string, start: string): string =>
  text.startsWith(start) ? text.slice(start.length).trimStart() : text;

function shown(target: string, label: string | undefined): string {
  const mark = target.charAt(0);
  if (mark === '@' || mark === '#') return `${mark}${label ?? target.slice(1)}`;
  if (mark === '!') return label ?? `@${target.slice(1)}`;
  const address = target.replace(/^mailto:|^tel:/, '');
  return label === undefined || label === '' || label === address ? address : `${label} (${address})`;
}
