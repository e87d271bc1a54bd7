import type { PageBrand } from '../../html/brand.rules.ts';
import { escapeHtml, htmlPage } from '../../html/page.rules.ts';
import type { SurveyWords } from './words.rules.ts';

const SCORES = [1, 2, 3, 4, 5];
export const MAX_COMMENT_LENGTH = 5_000;

export interface SurveyPage {
  title: string;
  brand: PageBrand;
  language: string;
  words: SurveyWords;
  /** What was answered, to be changed. */
  score: number | null;
  comment: string | null;
}

/** Returns the page of a survey: five scores, a comment, and a button. */
export const renderSurvey = ({ title, brand, language, words, score, comment }: SurveyPage): string =>
  htmlPage(
    title,
    `<form method="post"><fieldset class="row" aria-label="${escapeHtml(words.question)}">${SCORES.map((one) => scoreField(words, one, score)).join('')}</fieldset>
<label>${escapeHtml(words.comment)}<textarea name="comment" rows="4" maxlength="${MAX_COMMENT_LENGTH}">
${escapeHtml(comment ?? '')}</textarea></label>
<button type="submit">${escapeHtml(words.submit)}</button></form>`,
    language,
    brand,
  );

/** Returns the page of a survey that takes no answer any more. */
export const renderExpired = ({ words, language, brand }: Pick<SurveyPage, 'words' | 'language' | 'brand'>): string =>
  htmlPage(words.expired, '', language, brand);

const scoreField = ({ score: label }: SurveyWords, score: number, given: number | null): string =>
  `<label><input type="radio" name="score" value="${score}" required aria-label="${escapeHtml(label.replace('{n}', String(score)))}"${score === given ? ' checked' : ''}>${score}</label>`;
