/**
 * Returns as many of the first and last messages of a conversation as fit, alternately from both ends, in their order.
 * A long conversation loses its middle, and a last message too long by itself loses its end.
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
