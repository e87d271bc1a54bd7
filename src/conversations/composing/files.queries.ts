import { type RawBuilder, sql } from 'kysely';

/** A file of an unsent text. */
export interface KeptFile {
  id: string;
  name: string;
  mime_type: string;
  size: number;
}

/** SQL: the files of `kept_by`, a row with `org_id` and `media_ids`, in order and without deleted ones. */
export const KEPT_FILES: RawBuilder<KeptFile[]> = sql<KeptFile[]>`coalesce((
  select jsonb_agg(jsonb_build_object('id', media.id, 'name', file_name, 'mime_type', mime_type, 'size', size) order by kept.position)
  from unnest(kept_by.media_ids) with ordinality as kept (id, position)
  join media on media.org_id = kept_by.org_id and media.id = kept.id and media.deleted_at is null
), '[]')`;
