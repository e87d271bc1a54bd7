import type { Db } from '../db/connect.ts';

export function insertPartner(
  db: Db,
  partner: { id: string; name: string; allowed_ips: string[]; ai_instructions: string | null },
) {
  return db
    .insertInto('partners')
    .values(partner)
    .returning(['id', 'name', 'is_active', 'allowed_ips', 'created_at'])
    .executeTakeFirstOrThrow();
}

export function findPartner(db: Db, partnerId: string) {
  return db
    .selectFrom('partners')
    .select(['id', 'name', 'is_active', 'allowed_ips', 'ai_instructions', 'created_at'])
    .where('id', '=', partnerId)
    .executeTakeFirst();
}
