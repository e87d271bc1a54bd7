/** The headings of an article's own HTML. What is code has its brackets escaped. */
const HEADING = /<(h[2-6])>(.*?)<\/\1>/gs;
const MIN_CONTENTS = 3;
const MAX_SLUG = 60;

export interface Heading {
  id: string;
  /** Text without markup, still escaped for HTML. */
  html: string;
  level: number;
}

/**
 * Gives each heading of rendered Markdown an id by which a link leads to it. Returns the HTML and the headings of the two
 * uppermost levels; none if there are fewer than three.
 */
export function withHeadingIds(html: string): { html: string; headings: Heading[] } {
  const taken = new Set<string>();
  const all: Heading[] = [];
  const marked = html.replace(HEADING, (_, tag: string, inner: string) => {
    const text = inner.replace(/<[^<>]*>/g, '').trim();
    const id = freeId(text, taken);
    all.push({ id, html: text, level: Number(tag[1]) });
    return `<${tag} id="${id}">${inner}</${tag}>`;
  });
  const top = Math.min(...all.map(({ level }) => level));
  const headings = all.filter(({ level, html: text }) => level <= top + 1 && text !== '');
  return { html: marked, headings: headings.length < MIN_CONTENTS ? [] : headings };
}

/** Returns an id that no heading before has: its words, or a number where it has no letters. */
function freeId(text: string, taken: Set<string>): string {
  const words = text
    .replace(/&[a-z0-9#]+;/gi, ' ')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  const base = `s-${words?.join('-').slice(0, MAX_SLUG) ?? 'part'}`;
  let id = base;
  for (let n = 2; taken.has(id); n++) id = `${base}-${n}`;
  taken.add(id);
  return id;
}
