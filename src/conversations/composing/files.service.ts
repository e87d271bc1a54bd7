import type { Db } from '../../db/connect.ts';
import { refused } from '../../errors.ts';
import type { MediaLinks } from '../../media/links.ts';
import { listFiles } from '../../media/service.ts';
import type { KeptFile } from './files.queries.ts';

/** Returns the ids of files of the org. Throws invalid for a file unknown to the org. */
export async function fileIdsOf(db: Db, orgId: string, files: { id: string }[]): Promise<string[]> {
  const ids = [...new Set(files.map(({ id }) => id))];
  const found = ids.length === 0 ? [] : await listFiles(db, orgId, ids);
  const known = new Set(found.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown === undefined) return ids;
  throw refused('attachments', `the org has no file ${unknown}: POST /media uploads one`);
}

/** Returns a row with links to its files. */
export const withLinks = <Row extends { attachments: KeptFile[] }>(links: MediaLinks, orgId: string, row: Row) => ({
  ...row,
  attachments: row.attachments.map((file) => ({ ...file, url: links.linkOf({ org_id: orgId, id: file.id }) })),
});
