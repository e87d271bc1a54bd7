/**
 * Returns a text without any of these characters at its beginning and end, in linear time: a pattern would look at each run
 * of them within the text again and again.
 */
export function withoutEdges(text: string, characters: string): string {
  let [start, end] = [0, text.length];
  while (start < end && characters.includes(text.charAt(start))) start++;
  while (end > start && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
