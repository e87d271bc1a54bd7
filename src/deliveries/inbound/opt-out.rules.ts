/** The words that Twilio itself takes for an opt-out. */
const OPT_OUT_WORDS = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']);
const OPT_IN_WORDS = new Set(['START', 'YES', 'UNSTOP']);

/** Whether a message asks for no more: one of the standard words and nothing else, but for what surrounds it that is no letter or digit. */
export const isOptOut = (text: string): boolean => OPT_OUT_WORDS.has(onlyWordOf(text));

/** Whether a message takes an opt-out back. From a contact who never opted out it means nothing. */
export const isOptIn = (text: string): boolean => OPT_IN_WORDS.has(onlyWordOf(text));

const onlyWordOf = (text: string) => (/^[^\p{L}\p{N}]*([A-Za-z]+)[^\p{L}\p{N}]*$/u.exec(text)?.[1] ?? '').toUpperCase();
