import type { Generated, GeneratedAlways } from 'kysely';
import type { SourceType, Visibility } from './index/items.schema.ts';
import type { CreateTraining } from './training/schema.ts';

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
  directory_id: string | null;
  restricted_to_channels: CreateTraining['restricted_to_channels'];
  restricted_to_segments: string[];
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface KnowledgeItemsTable {
  org_id: string;
  id: string;
  source_type: SourceType;
  source: string;
  title: string;
  url: string | null;
  visibility: Visibility;
  language: string | null;
  channels: string[];
  segments: string[];
  chunks: Generated<number>;
  /** The lengths of all its chunks. */
  words: Generated<number>;
  /** In the order of the text. */
  chunk_ids: Generated<number[]>;
}

export interface KnowledgeChunksTable {
  org_id: string;
  id: GeneratedAlways<number>;
  item_id: string;
  position: number;
  start_offset: number;
  end_offset: number;
  /** Of all that its postings were made of. */
  hash: Buffer;
  /** The item's title and the headings that it stands under. */
  path: string[];
  content: string;
  /** The frequencies of all its lexemes. */
  length: number;
  lexemes: string[];
  /** The first of the chunks that were written together. */
  segment: number;
}

export interface KnowledgePostingsTable {
  org_id: string;
  lexeme: string;
  segment: number;
  /** One for each of the segment's chunks that hold the lexeme, as packHit makes them. */
  hits: number[];
}

export interface KnowledgeEmbeddingsTable {
  org_id: string;
  chunk_id: number;
  model: string;
  vector: Buffer;
  /** The transaction that wrote it, as text. */
  xid: Generated<string>;
}

export interface KnowledgeWordsTable {
  org_id: string;
  word: string;
}
