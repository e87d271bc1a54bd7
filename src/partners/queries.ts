import type { Db } from '../db/connect.ts';

const COLUMNS = ['id', 'name', 'is_active', 'allowed_ips', 'ai_instructions', 'created_at'] as const;

export function insertPartner(
  db: Db,
  partner: { id: string; name: string; allowed_ips: string[]; ai_instructions: string | null },
) {
  return db.insertInto('partners').values(partner).returning(COLUMNS).executeTakeFirstOrThrow();
}

export function findPartner(db: Db, partnerId: string) {
  return db.selectFrom('partners').select(COLUMNS).where('id', '=', partnerId).executeTakeFirst();
}

export function listPartners(db: Db) {
  return db.selectFrom('partners').select(COLUMNS).orderBy('created_at').orderBy('id').execute();
}

export function updatePartner(db: Db, partnerId: string, changes: { is_active?: boolean; allowed_ips?: string[] }) {
  return db.updateTable('partners').set(changes).where('id', '=', partnerId).returning(COLUMNS).executeTakeFirst();
}
