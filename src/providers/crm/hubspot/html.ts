/** How text and HTML become one another. */
export interface HtmlConversion {
  escapeHtml(text: string): string;
  textOfHtml(html: string): string;
}

/** Text as HTML, its lines kept. */
export const htmlOf = ({ escapeHtml }: HtmlConversion, text: string): string =>
  escapeHtml(text).replace(/\r?\n/g, '<br>');
