import { type LinkedFile, normalized, textToPost } from '../../providers/crm/hubspot/threads/message-text.rules.ts';

/**
 * Returns whether a comment or a note is of a handoff of the session: HubSpot may report it before it has answered our
 * request. People quote the link of a session as well, but not in this form.
 */
export const isOfHandoff = (text: string, sessionId: string): boolean =>
  text.split('\n').some((line) => line.startsWith('Conversation: ') && line.includes(sessionId));

/** Returns whether the text of a reply in HubSpot is of our message. A signature may follow. */
export function isTextOf(text: string, message: { text: string; attachments: LinkedFile[] }): boolean {
  const posted = normalized(textToPost(message));
  return posted !== '' && normalized(text).startsWith(posted);
}
