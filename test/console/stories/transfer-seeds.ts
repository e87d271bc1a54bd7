import { sql } from 'kysely';
import { newId } from '../../../src/ids.ts';
import type { TestApi } from '../../support/stack/api.ts';

const SYSTEM = '{"kind":"system","id":null,"name":null}';

/** Makes imports and exports in each of their states. */
export async function seedTransfers({ db, org }: TestApi): Promise<void> {
  await sql`
    insert into contact_imports (org_id, id, does_update, columns, delimiter, storage_key, size, position, state, created, refused, ended_at)
    values (${org.id}, ${newId()}, true, '{email}', ',', 'none', 100, 100, 'completed', 3, 2, now()),
      (${org.id}, ${newId()}, true, '{email}', ',', 'none', 100, 40, 'running', 1204, 0, null)`.execute(db);
  await sql`
    insert into imports (org_id, id, source, resource, account, storage_key, size, position, actor, state, left_out, reason, ended_at)
    values (${org.id}, ${newId()}, 'zendesk', 'contacts', '', 'none', 100, 100, ${SYSTEM}, 'completed', 2, null, now()),
      (${org.id}, ${newId()}, 'chatwoot', 'help_center', 'shop', 'none', 100, 10, ${SYSTEM}, 'failed', 0, 'It has too many articles', now()),
      (${org.id}, ${newId()}, 'hubspot', 'contacts', '', 'none', 100, 40, ${SYSTEM}, 'running', 0, null, null)`.execute(
    db,
  );
  await sql`
    insert into exports (org_id, id, resource, format, actor, state, written, total, reason, ended_at, expires_at)
    values (${org.id}, ${newId()}, 'contacts', 'csv', ${SYSTEM}, 'expired', 7, 7, null, now(), now()),
      (${org.id}, ${newId()}, 'deliveries', 'ndjson', ${SYSTEM}, 'failed', 0, null, 'The file is larger than 2,000 MB', now(), null),
      (${org.id}, ${newId()}, 'conversations', 'csv', ${SYSTEM}, 'running', 40, 100, null, null, null)`.execute(db);
}
