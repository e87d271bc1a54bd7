/** The engine's own search takes the product of both lengths for a text such as `aa…ba…aa` in `aa…aa`. */
const MAX_BUILTIN_LENGTH = 100;

/** Returns whether a text contains another one. Takes time linear in both lengths (Knuth, Morris and Pratt). */
export function includesText(whole: string, part: string): boolean {
  if (part.length <= MAX_BUILTIN_LENGTH) return whole.includes(part);
  if (part.length > whole.length) return false;
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = 0; at < whole.length; at++) {
    const code = whole.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === code) matched++;
    if (matched === part.length) return true;
  }
  return false;
}

/** Returns, for each prefix of the text, the length of its longest proper prefix that is its end, too. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (text.charCodeAt(length) === code) length++;
    borders[at] = length;
  }
  return borders;
}
