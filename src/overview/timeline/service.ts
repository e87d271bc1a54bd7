import { contactIdsOf } from '../../contacts/merging/service.ts';
import { getContact } from '../../contacts/service.ts';
import type { Db } from '../../db/connect.ts';
import { decodeCursor, toPage } from '../../db/cursor.ts';
import type { OrgPrincipal } from '../../keys/verifier.ts';
import { readableKinds } from '../parts.schema.ts';
import { listTimeline } from './queries.ts';
import { type ListTimeline, TIMELINE_SCOPES } from './schema.ts';

/** Returns a page of what there is of a contact, as far as the caller may read it. Throws notFound. */
export async function pageOfTimeline(
  db: Db,
  { id: orgId, scopes }: OrgPrincipal,
  contactId: string,
  { kinds, cursor, limit }: ListTimeline,
) {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  await getContact(db, orgId, contactId);
  const knownIds = await contactIdsOf(db, orgId, contactId);
  const readable = readableKinds(TIMELINE_SCOPES, scopes, kinds);
  const rows = await listTimeline(db, { orgId, contactId, knownIds }, { kinds: readable, after, limit });
  return toPage(rows, limit, ({ at }) => at);
}
