import type { Db } from '../../db/connect.ts';
import { sentencesOf } from '../../knowledge/index/prose.rules.ts';
import { findEvidence } from '../../knowledge/search/evidence.service.ts';
import { type SemanticSearch, WORDS_ONLY } from '../../knowledge/search/passage-search.service.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { Thresholds } from '../calibration/rules.ts';
import { type ExtractiveAnswer, type PassageForQuote, selectQuotes } from './extractive.rules.ts';

const MAX_PASSAGES = 8;
/** Questions are short. Characters beyond this number would only make the search slower. */
const MAX_QUESTION_CHARACTERS = 1_000;

export interface QuoteSearch {
  question: string;
  /** Its language, if known. */
  language?: string | null;
  channel: SessionChannel;
  /** The segments of the contact. */
  segments: string[];
  /** The lowest confidences of an answer by a quote. */
  thresholds: Thresholds;
}

/**
 * Answers a question by quotes from the org's published knowledge, without a model. Internal items and those not meant
 * for the channel and the contact are never quoted.
 */
export async function answerByQuotes(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  { question, language = null, channel, segments, thresholds }: QuoteSearch,
): Promise<ExtractiveAnswer> {
  const evidence = await findEvidence(db, thresholds.vectors === null ? WORDS_ONLY : semantics, orgId, {
    query: question.slice(0, MAX_QUESTION_CHARACTERS),
    visibility: ['public'],
    language,
    channel,
    segments,
  });
  const passages = evidence.passages.slice(0, MAX_PASSAGES).map(
    ({ id, title, url, content, words, citation }): PassageForQuote => ({
      item_id: id,
      chunk: citation.chunk,
      url,
      title,
      heading: citation.heading,
      content,
      start: citation.start,
      hash: citation.hash,
      words,
      sentences: sentencesOf(content),
      bestSentence: citation.quote.start - citation.start,
    }),
  );
  const threshold = (evidence.withVectors ? thresholds.vectors : null) ?? thresholds.words;
  return selectQuotes(passages, { score: evidence.confidence(), threshold });
}
