import type { Generated } from 'kysely';
import type { CreateTraining } from './schema.ts';

export interface TrainingDirectoriesTable {
  org_id: string;
  id: string;
  name: string;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface TrainingItemsTable {
  org_id: string;
  id: string;
  title: string;
  content: string;
  type: CreateTraining['type'];
  is_draft: boolean;
  visibility: Generated<CreateTraining['visibility']>;
  directory_id: string | null;
  restricted_to_channels: CreateTraining['restricted_to_channels'];
  restricted_to_segments: string[];
  /** The session that a model has learned it from. Its redaction deletes it, unless it was published. */
  learned_from_session_id: Generated<string | null>;
  /** The number of the last version. 0: it was never published. */
  version: Generated<number>;
  /** When the last version was published. */
  published_at: Generated<Date | null>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

/** A text of a training item as it was published. */
export interface TrainingVersionsTable {
  org_id: string;
  training_id: string;
  id: string;
  version: number;
  title: string;
  content: string;
  /** The API key that published it. Null for what was published before versions were kept. */
  published_key_id: string | null;
  /** When it was published. */
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    training_directories: TrainingDirectoriesTable;
    training_items: TrainingItemsTable;
    training_versions: TrainingVersionsTable;
  }
}
