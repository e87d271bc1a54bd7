import { z } from 'zod';
import { changed } from '../errors.ts';

/** An entity tag or the time itself. */
const SEEN_AT = /^(?:\*|"?[0-9-]{10}T[0-9:.]{8,15}Z"?)$/;

/** Returns the schema of headers with `If-Match`: the `updated_at` of a resource as the caller has seen it. */
export const ifMatchOf = (resource: string) =>
  z.looseObject({
    'if-match': z
      .string()
      .regex(SEEN_AT, `must be the updated_at of the ${resource}, or *`)
      .optional()
      .describe(`The \`updated_at\` of the ${resource} as it was seen: 412 if it has changed since.`),
  });

/** Returns whether If-Match is absent, `*`, or a tag, with or without quotation marks, that `isCurrent` accepts. */
export const hasSeen = (ifMatch: string | undefined, isCurrent: (tag: string) => boolean): boolean =>
  ifMatch === undefined || ifMatch === '*' || isCurrent(ifMatch.replaceAll('"', ''));

/**
 * Throws changed if a locked resource is not as the caller has seen it. `ifMatch` is its `updated_at` then, with or without
 * quotation marks. Absent, or as `*`, it accepts any state.
 */
export function assertUnchanged(resource: string, updatedAt: Date, ifMatch: string | undefined): void {
  if (hasSeen(ifMatch, (tag) => new Date(tag).getTime() === updatedAt.getTime())) return;
  throw changed(`The ${resource} has changed since: it was updated at ${updatedAt.toISOString()}. Read it again`);
}
