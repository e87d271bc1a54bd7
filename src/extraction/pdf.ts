import { memberOf } from '../collections/records.ts';
import { ExtractionError } from './contract.ts';

const MAX_PAGES = 300;
/** Minimum distance of lines in different paragraphs, as a multiple of their height. */
const PARAGRAPH_GAP = 1.6;

interface TextItem {
  str: string;
  hasEOL: boolean;
  height: number;
  transform: number[];
}

interface PdfText {
  /** Empty if it has none. */
  title: string;
  /** Split into paragraphs. */
  text: string;
  pages: number;
  pagesRead: number;
}

/** Returns the text of a PDF's first 300 pages. */
export async function pdfTextOf(bytes: Uint8Array): Promise<PdfText> {
  const { getDocumentProxy } = await import('unpdf'); // uses 40 MB: loaded only by threads with a PDF to read
  try {
    const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
    const pages: string[] = [];
    const pagesRead = Math.min(pdf.numPages, MAX_PAGES);
    for (let number = 1; number <= pagesRead; number += 1) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      pages.push(paragraphsOf(items.filter((item) => 'str' in item)));
      page.cleanup();
    }
    const { info } = await pdf.getMetadata();
    const title = memberOf(info, 'Title');
    return {
      title: typeof title === 'string' ? title : '',
      text: pages.filter((page) => page !== '').join('\n\n'),
      pages: pdf.numPages,
      pagesRead,
    };
  } catch (error) {
    throw new ExtractionError(
      'unreadable',
      `The PDF cannot be read: ${error instanceof Error ? error.message : 'it is damaged'}`,
    );
  }
}

function paragraphsOf(items: TextItem[]): string {
  let text = '';
  let lastY: number | undefined;
  for (const { str, hasEOL, height, transform } of items) {
    const y = transform[5] ?? 0;
    if (str.trim() !== '') {
      if (lastY !== undefined && height > 0 && Math.abs(lastY - y) > height * PARAGRAPH_GAP)
        text = `${text.trimEnd()}\n\n`;
      lastY = y;
    }
    text += hasEOL ? `${str}\n` : str;
  }
  return text
    .replace(/(\p{L})-\n(?=\p{Ll})/gu, '$1') // a word hyphenated at a line break
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
