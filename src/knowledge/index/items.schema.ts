import { z } from 'zod';

export const SourceType = z.enum(['custom_training', 'help_center', 'integration', 'website']);
export type SourceType = z.infer<typeof SourceType>;

export const Visibility = z.enum(['internal', 'public']);
export type Visibility = z.infer<typeof Visibility>;

/** A text of the org's knowledge, as provided by its source. */
export interface KnowledgeItem {
  /** The id of the source's own row. */
  id: string;
  sourceType: SourceType;
  /** A value of `dataSources`: custom_training, ai_instructions, website, or a tool's name. */
  source: string;
  title: string;
  markdown: string;
  url: string | null;
  visibility: Visibility;
  /** ISO 639-1. null: unknown, and detected from its text. */
  language: string | null;
  /** Channels allowed to use it. Empty: all. */
  channels: string[];
  /** Segments allowed to use it. Empty: everyone. */
  segments: string[];
  /** A draft is never found. */
  isDraft: boolean;
}
