import { invalid } from '../../errors.ts';
import { isUuid } from '../../ids.ts';
import { INBOX_ORDERS, type InboxOrder } from './schema.ts';

const NOT_A_CURSOR = 'must be the `next` of an earlier page of the same list';

/** The position of a session in a list: its time in the list's order, in milliseconds or `infinity`, and its id. */
export interface InboxPosition {
  at: string;
  id: string;
}

/** Returns the cursor of a position in a list of this order. */
export const cursorOf = (order: InboxOrder, { at, id }: InboxPosition): string =>
  Buffer.from([INBOX_ORDERS.indexOf(order), at, id].join('.'), 'utf8').toString('base64url');

/** Parses a cursor. Throws invalid if it is not of a list of this order. */
export function positionOf(order: InboxOrder, cursor: string): InboxPosition {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, place, at, id] = /^([0-9])\.([0-9]{1,15}|infinity)\.(.{36})$/.exec(text) ?? [];
  if (at === undefined || id === undefined || !isUuid(id) || Number(place) !== INBOX_ORDERS.indexOf(order))
    throw invalid(`The request is not valid: cursor ${NOT_A_CURSOR}`, [
      { path: 'query.cursor', message: NOT_A_CURSOR },
    ]);
  return { at, id };
}
