/** The widget's own words in English. `languages/` has the same keys. */
const ENGLISH = {
  title: 'Chat',
  open: 'Open chat',
  close: 'Close chat',
  unread: '{n} unread',
  greeting: 'Hello! How can we help?',
  placeholder: 'Write a message…',
  send: 'Send',
  attach: 'Attach a file',
  remove: 'Remove {name}',
  messages: 'Messages',
  team: 'Team',
  writing: '{name} is writing',
  person: 'Talk to a person',
  personAsked: 'A person will answer here.',
  personText: 'I would like to talk to a person.',
  away: 'We answer {when}. Leave a message and your e-mail.',
  offline: 'No connection. Messages are sent once it is back.',
  sending: 'Sending',
  failed: 'Not sent',
  retry: 'Try again',
  discard: 'Discard',
  tooLarge: '{name} is larger than {size}.',
  wrongType: 'Files like {name} are not accepted.',
  uploadFailed: '{name} could not be uploaded.',
  download: 'Download {name}',
  sources: 'Sources',
  helpful: 'Helpful',
  unhelpful: 'Not helpful',
  csat: 'How was this conversation?',
  csatScore: '{n} of 5',
  csatComment: 'Anything to add?',
  csatThanks: 'Thank you!',
  submit: 'Submit',
  yes: 'Yes',
  no: 'No',
  accepted: 'Accepted',
  rejected: 'Rejected',
  expired: 'The time for this is over',
  minutesLeft: '{time} left',
  name: 'Name',
  email: 'E-mail',
  start: 'Start chat',
  solved: 'Conversation closed',
  newChat: 'New conversation',
  error: 'That did not work. Try again.',
  refused: 'This chat is not available here.',
  jump: 'New messages',
};
export type Word = keyof typeof ENGLISH;
export type Words = Record<Word, string>;

const RIGHT_TO_LEFT = ['ar', 'fa', 'he', 'ur'];

export interface Language {
  code: string;
  direction: 'ltr' | 'rtl';
  words: Words;
}

export const ENGLISH_LANGUAGE: Language = { code: 'en', direction: 'ltr', words: ENGLISH };

/** Loads the first of the wanted languages that the org allows. English is built in, and stands in for missing words. */
export async function loadLanguage(
  client: { words(code: string): Promise<object | undefined> },
  wanted: string[],
  allowed: string[] | null,
): Promise<Language> {
  for (const tag of wanted) {
    const code = tag.toLowerCase().split(/[-_]/)[0] ?? '';
    if (!/^[a-z]{2}$/.test(code) || (allowed !== null && !allowed.includes(code))) continue;
    if (code === 'en') break;
    const words = await client.words(code).catch(() => undefined);
    if (words)
      return { code, direction: RIGHT_TO_LEFT.includes(code) ? 'rtl' : 'ltr', words: { ...ENGLISH, ...words } };
  }
  return ENGLISH_LANGUAGE;
}

/** Puts values into a sentence. */
export const fill = (sentence: string, values: Record<string, string | number>): string =>
  sentence.replace(/\{(\w+)\}/g, (mark, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : mark));
