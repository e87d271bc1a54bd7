/**
 * Returns the first and the last messages of a conversation that fit, alternately from both ends, in their order. Of a long
 * conversation the middle is left out, and of a last message that does not fit by itself its end.
 */
export function endsOf<Message extends { text: string }>(
  messages: readonly Message[],
  maxCharacters: number,
): Message[] {
  const [first, last]: [Message[], Message[]] = [[], []];
  let remaining = maxCharacters;
  for (let from = 0, to = messages.length - 1; from <= to; ) {
    const isLast = last.length <= first.length;
    const next = isLast ? messages[to--] : messages[from++];
    if (next === undefined) break;
    if (next.text.length > remaining) {
      if (last.length === 0) last.push({ ...next, text: next.text.slice(0, remaining).toWellFormed() });
      break;
    }
    remaining -= next.text.length;
    (isLast ? last : first).push(next);
  }
  return [...first, ...last.toReversed()];
}
