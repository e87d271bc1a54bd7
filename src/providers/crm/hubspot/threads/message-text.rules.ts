/** A file of a message, passed on as a link. */
export interface LinkedFile {
  name: string;
  url: string;
}

/** Returns the text of a message to post: its own, if any, and a line for each file. */
export const textToPost = ({ text, attachments }: { text: string; attachments: LinkedFile[] }): string =>
  [
    ...(text === '' && attachments.length > 0 ? [] : [text]),
    ...attachments.map(({ name, url }) => `${name}: ${url}`),
  ].join('\n');

/** Returns a text for comparison: HubSpot may change line breaks and spaces. */
export const normalized = (text: string): string => text.replace(/\s+/g, ' ').trim();
