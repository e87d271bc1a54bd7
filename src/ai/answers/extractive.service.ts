import type { Db } from '../../db/connect.ts';
import { sentencesOf } from '../../knowledge/index/prose.rules.ts';
import { findEvidence, type SemanticSearch, WORDS_ONLY } from '../../knowledge/search/passage-search.service.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { Thresholds } from '../calibration/rules.ts';
import { type ExtractiveAnswer, type PassageForQuote, selectQuotes } from './extractive.rules.ts';

const MAX_PASSAGES = 8;
/** Questions are short. What comes after these characters would only make the search slower. */
const MAX_QUESTION_CHARACTERS = 1_000;

export interface QuoteSearch {
  question: string;
  /** Its language, if that is known. */
  language?: string | null;
  channel: SessionChannel;
  /** The segments of the contact. */
  segments: string[];
  /** The confidences from which on a quote is an answer. */
  thresholds: Thresholds;
}

/**
 * Answers a question by quotes from what the org has published, without a model. Internal items and those that are not
 * meant for the channel and the contact are never quoted.
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
  return selectQuotes(passages, { score: evidence.confidence(evidence.passages), threshold });
}
