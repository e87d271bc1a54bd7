/** Twilio's own opt-out words. */
const OPT_OUT_WORDS = new Set(['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']);
const OPT_IN_WORDS = new Set(['START', 'YES', 'UNSTOP']);

/** Whether a message is an opt-out: one of the standard words, with no other letters or digits. */
export const isOptOut = (text: string): boolean => OPT_OUT_WORDS.has(onlyWordOf(text));

/** Whether a message revokes an opt-out. It has no effect for a contact without an opt-out. */
export const isOptIn = (text: string): boolean => OPT_IN_WORDS.has(onlyWordOf(text));

const onlyWordOf = (text: string) => (/^[^\p{L}\p{N}]*([A-Za-z]+)[^\p{L}\p{N}]*$/u.exec(text)?.[1] ?? '').toUpperCase();
