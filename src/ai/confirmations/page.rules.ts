import type { PageBrand } from '../../html/brand.rules.ts';
import { escapeHtml, htmlPage } from '../../html/page.rules.ts';
import type { ConfirmationField } from './question.rules.ts';

export interface ConfirmationPage {
  brand: PageBrand;
  language: string;
  question: string;
  fields: ConfirmationField[];
  confirmButton: string;
  rejectButton: string;
}

/** Returns the page of a confirmation: all arguments, and a form with two buttons. */
export const renderPage = ({
  brand,
  language,
  question,
  fields,
  confirmButton,
  rejectButton,
}: ConfirmationPage): string =>
  htmlPage(
    question,
    `<dl>${fields.map(({ name, value }) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>
<form method="post"><button type="submit" name="decision" value="confirm">${escapeHtml(confirmButton)}</button>
<button type="submit" name="decision" value="reject">${escapeHtml(rejectButton)}</button></form>`,
    language,
    brand,
  );

/** Returns a page that says one sentence. */
export const renderSentence = (sentence: string, { language, brand }: Pick<ConfirmationPage, 'language' | 'brand'>) =>
  htmlPage(sentence, '', language, brand);
