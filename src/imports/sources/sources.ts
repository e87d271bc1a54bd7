import { invalid } from '../../errors.ts';
import type { ImportResource, ImportSource } from '../schema.ts';
import { CHATWOOT } from './chatwoot.ts';
import { HUBSPOT } from './hubspot.ts';
import type { Source } from './source.ts';
import { ZENDESK } from './zendesk.ts';

const SOURCES: Record<ImportSource, Source> = { chatwoot: CHATWOOT, zendesk: ZENDESK, hubspot: HUBSPOT };

/** Returns how files of a source with records of a kind are read. Throws invalid for a kind that the source has none of. */
export function readersOf(source: ImportSource, resource: ImportResource) {
  const { [resource]: objects, contactLines } = SOURCES[source];
  const lines = resource === 'contacts' ? contactLines : undefined;
  if (objects === undefined && lines === undefined)
    throw invalid(`Of ${source}, no ${resource} can be imported: docs/moving-in.md lists what can`, [
      { path: 'query.resource', message: `${source} has no ${resource}` },
    ]);
  return { objects, lines };
}
