/** Converts between text and HTML. */
export interface HtmlConversion {
  escapeHtml(text: string): string;
  textOfHtml(html: string): string;
}

/** Returns text as HTML with its line breaks. */
export const htmlOf = ({ escapeHtml }: HtmlConversion, text: string): string =>
  escapeHtml(text).replace(/\r?\n/g, '<br>');
