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
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    training_directories: TrainingDirectoriesTable;
    training_items: TrainingItemsTable;
  }
}
