import { z } from 'zod';
import { Id, SessionChannel } from '../../schemas/parts.ts';
import { SourceType, Visibility } from '../index/items.schema.ts';

const MAX_SOURCES = 100;
/** The sources that every org has. Integrations add others, by the names of their tools. */
export const SOURCES = ['ai_instructions', 'custom_training', 'website', 'help_center', 'api_reference'];
const MAX_SEGMENTS = 500;

export const SearchKnowledge = z
  .object({
    query: z
      .string()
      .min(2)
      .max(500)
      .refine((text) => text.trim() !== '', 'must not be blank')
      .describe(
        'A question or words, in any of the org’s languages. Any of the words will do; rare ones count for more.',
      ),
    limit: z.int().min(1).max(50).default(20),
    visibility: z.array(Visibility).max(10).optional(),
    sourceTypes: z
      .array(SourceType)
      .max(10)
      .optional()
      .describe('`integration` alone is refused while no integration brings knowledge.'),
    dataSources: z
      .array(z.string().min(1).max(255))
      .max(MAX_SOURCES)
      .optional()
      .describe(
        'Names of sources: `ai_instructions` (the AI profile and BEHAVIORAL training), `custom_training`, `website`, `help_center`, `api_reference`, and those of tools that bring knowledge. Any other name is refused.',
      ),
    channel: SessionChannel.optional().describe('Finds only what may be used on this channel. Absent: all.'),
    segments: z
      .array(Id)
      .max(MAX_SEGMENTS)
      .optional()
      .describe('Finds only what may be used for a contact who is in these segments and no others. Absent: all.'),
    explain: z.boolean().default(false).describe('Adds `score_parts` to each result.'),
  })
  .meta({
    id: 'SearchTrainingKnowledge',
    examples: [
      { query: 'How do I get a refund?' },
      { query: 'refund', limit: 3, visibility: ['public'], explain: true },
    ],
  });
export type SearchKnowledge = z.infer<typeof SearchKnowledge>;

const Offset = z.int().min(0).describe('In UTF-16 code units of the item’s text.');

const Citation = z
  .object({
    item_id: Id,
    chunk: z.int().min(0).describe('The number of the passage in its item.'),
    url: z.string().nullable(),
    heading: z.string().describe('The nearest heading; the item’s title where there is none.'),
    path: z.array(z.string()).describe('The item’s title and the headings above the passage.'),
    start: Offset,
    end: Offset,
    hash: z.string().describe('SHA-256 of `content`, in hex.'),
    quote: z
      .object({ text: z.string(), start: Offset, end: Offset })
      .describe('The sentence with most of the query’s words, unchanged.'),
  })
  .meta({ id: 'KnowledgeCitation' });

const LexemePart = z.object({
  lexeme: z.string(),
  weight: z.number().describe('1, or less for a similarly spelled word.'),
  chunks: z.int().describe('Number of the org’s passages with this lexeme.'),
  frequency: z.int().describe('Occurrences in this passage. Those in headings count three times.'),
  length: z.int().describe('Length of the passage, in words.'),
  score: z.number(),
});

const ScoreParts = z.object({
  words: z
    .number()
    .describe('BM25: the sum of the lexemes’ scores. This is the score if the org has no embedding model.'),
  similarity: z
    .number()
    .nullable()
    .describe(
      'Cosine of the embeddings, if any. Words and similarity, each scaled from 0 to 1 over the results, then count half each.',
    ),
  lexemes: z.array(LexemePart),
});

export const FoundKnowledge = z
  .object({
    results: z
      .array(
        z.object({
          id: Id.describe('Of the item: one may have several passages here.'),
          source_type: SourceType,
          source: z.string(),
          title: z.string(),
          content: z.string().describe('The passage, word for word as in the item.'),
          url: z.string().nullable(),
          score: z.number().describe('Comparable within one answer only.'),
          visibility: Visibility,
          citation: Citation,
          score_parts: ScoreParts.optional(),
        }),
      )
      .describe('The best match first.'),
    instructions: z
      .array(z.object({ id: Id, title: z.string(), content: z.string() }))
      .describe(
        'What the AI gets with every question: the org’s AI profile (`ai_instructions` of GET /org), whose id is the org’s, then BEHAVIORAL training.',
      ),
  })
  .meta({ id: 'FoundKnowledge' });
