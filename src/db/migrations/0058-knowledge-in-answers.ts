import { type Kysely, sql } from 'kysely';

/**
 * Training may be public. Citations know since when their passage is gone, turns whether their answer has helped, and
 * calibrations which index they have measured.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table training_items add column visibility text not null default 'internal' check (visibility in ('internal', 'public'));
    alter table training_items add check (visibility = 'internal' or type <> 'BEHAVIORAL');

    alter table ai_claims add column id uuid not null default gen_random_uuid(), add column changed_at timestamptz(3);
    create index ai_claims_changed on ai_claims (org_id, changed_at, id) where changed_at is not null;
    create index ai_turns_by_message on ai_turns (org_id, message_id);

    alter table ai_turns add column is_helpful boolean;
    create index ai_turns_by_quotes on ai_turns (org_id, ended_at) where agent = 'extractive-1' and state = 'answered' and reason is null;

    alter table ai_calibrations
      add column passages integer,
      add column last_chunk bigint,
      add check ((passages is null) = (last_chunk is null));
  `.execute(db);
}
