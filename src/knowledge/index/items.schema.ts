import { z } from 'zod';

export const SourceType = z.enum(['custom_training', 'help_center', 'integration', 'website']);
export type SourceType = z.infer<typeof SourceType>;

export const Visibility = z.enum(['internal', 'public']);
export type Visibility = z.infer<typeof Visibility>;

/** A text that the org knows, as its source has it. */
export interface KnowledgeItem {
  /** The source's own row. */
  id: string;
  sourceType: SourceType;
  /** What `dataSources` names: custom_training, ai_instructions, website, a tool's name. */
  source: string;
  title: string;
  markdown: string;
  url: string | null;
  visibility: Visibility;
  /** ISO 639-1. null: unknown, and told from its text. */
  language: string | null;
  /** Where it may be used. Empty: everywhere. */
  channels: string[];
  /** For whom it may be used. Empty: for everyone. */
  segments: string[];
  /** Not found at all. */
  isDraft: boolean;
}
