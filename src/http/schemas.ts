import { z } from 'zod';

/** A path parameter that is one of our ids. */
export const Id = z.uuid('must be a UUID');

/** A timestamp in an answer: ISO 8601, UTC, milliseconds. Takes the database's Date. */
export const Timestamp = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});

/** A command's answer without a body. Its handlers return NO_BODY. */
export const NoBody = z.undefined().describe('Done. No body.');
export const NO_BODY = '' as unknown as undefined;
