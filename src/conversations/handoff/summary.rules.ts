import type { Sender } from '../history/events.schema.ts';

const MAX_CHARACTERS = 1_000;
const SENDER_NAMES: Record<Sender, string> = { contact: 'Customer', human_agent: 'Agent', ai: 'AI', system: 'System' };

/** Returns the end of a conversation in at most 1,000 characters, with a heading to distinguish it from a summary. */
export function excerptOf(messages: { sender: Sender; text: string }[]): string {
  const heading = 'Last messages:';
  const lines: string[] = [];
  let left = MAX_CHARACTERS - heading.length;
  for (const { sender, text } of messages.toReversed()) {
    const line = `\n${SENDER_NAMES[sender]}: ${text}`;
    if (line.length > left) {
      if (lines.length === 0) lines.unshift(`${line.slice(0, left - 1).toWellFormed()}…`);
      break;
    }
    lines.unshift(line);
    left -= line.length;
  }
  return heading + lines.join('');
}
