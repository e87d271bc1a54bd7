import type { Schemas } from '../../../api/client';
import type { Draft } from './draft-entries';

export interface Trigger {
  sign: string;
  query: string;
  /** The positions of the sign and of the caret. */
  range: [from: number, to: number];
}

export interface Insertion extends Pick<Trigger, 'range'> {
  text: string;
  attachments: Draft['attachments'];
  /** The fields that the contact does not have. */
  missing: string[];
  actions: Schemas['SavedReplyActions'] | null;
}

/** Returns the word with a sign in front that the caret is behind. */
export function triggerAt(text: string, caret: number): Trigger | undefined {
  const [, sign, query] = /(?:^|\s)([/@])([\p{L}\p{N}_.-]{0,60})$/u.exec(text.slice(0, caret)) ?? [];
  if (sign === undefined || query === undefined) return undefined;
  return { sign, query, range: [caret - query.length - 1, caret] };
}

/** Returns the ids of the members that a note mentions by name. */
export const mentionsIn = ({ kind, text }: Draft, members: Schemas['Member'][]): number[] =>
  kind === 'note' ? members.filter(({ name }) => text.includes(`@${name}`)).map(({ id }) => id) : [];
