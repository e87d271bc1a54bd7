import type { Consent } from '../../providers/sending.ts';

/** Twilio's own words, and those that the FCC names in 47 CFR 64.1200(a)(10), without spaces and hyphens. */
const OPT_OUT_WORDS = new Set(['stop', 'stopall', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout']);
const OPT_IN_WORDS = new Set(['start', 'yes', 'unstop']);

/** Whether a message is an opt-out: one of the standard words, with no other letters or digits. */
export const isOptOut = (text: string): boolean => OPT_OUT_WORDS.has(lettersOf(text));

/** Whether a message revokes an opt-out. It has no effect for a contact without an opt-out. */
export const isOptIn = (text: string): boolean => OPT_IN_WORDS.has(lettersOf(text));

/** Returns what a message says about further messages: what the provider took it for, else what its words say. */
export function consentOf(text: string, given: Consent | undefined): Consent | undefined {
  if (given !== undefined) return given;
  return isOptOut(text) ? 'stop' : isOptIn(text) ? 'start' : undefined;
}

/** Returns the letters and digits alone: "Opt out", "OPT-OUT" and "optout" are one word. */
const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
