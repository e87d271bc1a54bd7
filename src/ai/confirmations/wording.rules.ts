import { type SentenceOptions, sentenceOf } from '../../recognition/sentences.rules.ts';
import type { TextFormat } from '../answers/extractive.rules.ts';
import type { Confirmer } from '../calls/confirming.rules.ts';
import { type ConfirmationField, fieldsOf, plainName, renderQuestion } from './question.rules.ts';

export interface WordingOptions extends SentenceOptions {
  language: string | null;
  format: TextFormat;
  /** The target of the link. */
  url: string;
}

export interface WordedQuestion {
  /** The text of the message: the question, the arguments, how to answer, and the link. */
  text: string;
  question: string;
  fields: ConfirmationField[];
}

/** Words the question of a call. If an agent decides, the text only says the request is being worked on. */
export function wordQuestion(
  call: { name: string; arguments: Record<string, unknown> | null; needs: Confirmer | null },
  { language, format, url, ...options }: WordingOptions,
): WordedQuestion {
  const fields = fieldsOf(call.arguments ?? {});
  const question = sentenceOf('confirm_question', language, { ...options, action: plainName(call.name) });
  const hint = sentenceOf('confirm_yes_hint', language, options);
  const text =
    call.needs === 'agent'
      ? sentenceOf('action_in_progress', language, options)
      : renderQuestion({ question, fields, hint, url }, format);
  return { text, question, fields };
}
