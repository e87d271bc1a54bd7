import { decode } from './charset.ts';
import { chooseContent } from './content.ts';
import { type ExtractedPage, ExtractionError, type Page } from './contract.ts';
import { markdownOf } from './markdown.ts';
import { kindOf } from './media-types.rules.ts';
import { looksScripted, metadataOf } from './page-metadata.ts';
import { pdfTextOf } from './pdf.ts';
import { MAX_CHARACTERS, parseHtml } from './tree.ts';

const MAX_TITLE_LENGTH = 500;
/** Limit for a title taken from a text's first line. */
const MAX_FIRST_LINE_LENGTH = 200;
/** Control characters. They carry no meaning, and the database rejects some. */
const CONTROL_CHARACTERS = /[^\P{Cc}\t\n\r]/gu;
const FIRST_CHARACTERS = `Only the first ${MAX_CHARACTERS.toLocaleString('en')} characters of its text are read`;

/** Reads one page. Throws ExtractionError. Time and memory depend on the page and are not limited here. */
export async function readPage({ bytes, contentType, url, ignoredParameters }: Page): Promise<ExtractedPage> {
  const kind = kindOf(bytes, contentType);
  if (kind === undefined) throw new ExtractionError('unsupported_type', `Pages of type ${contentType} are not read`);
  if (kind === 'html') return readHtml(decode(bytes, contentType), url, ignoredParameters);
  if (kind === 'text') return readText(decode(bytes, contentType), '', url);
  const { title, text, pages, pagesRead } = await pdfTextOf(bytes);
  const read = readText(text, title, url);
  const readPages = pagesRead === pages ? null : `Only the first ${pagesRead} of its ${pages} pages are read`;
  return { ...read, readPart: read.readPart ?? readPages };
}

/** Reads an HTML page. It is parsed only once. */
export function readHtml(html: string, url: string, ignoredParameters?: readonly string[]): ExtractedPage {
  const tree = parseHtml(html);
  const { resolve, title, ...facts } = metadataOf(tree, url, ignoredParameters);
  const markdown = markdownOf(chooseContent(tree, url), resolve);
  return {
    ...facts,
    title: clean(title),
    markdown: clean(markdown),
    looksScripted: looksScripted(tree, html.length),
    readPart: tree.isCut ? FIRST_CHARACTERS : partOf(markdown),
  };
}

function readText(raw: string, title: string, url: string): ExtractedPage {
  const text = clean(raw.replaceAll('\r\n', '\n')).trim();
  const firstLine =
    text
      .split('\n', 1)[0]
      ?.replace(/^#{1,6} /, '')
      .trim() ?? '';
  return {
    title: clean(
      (title.trim() || firstLine.slice(0, MAX_FIRST_LINE_LENGTH) || new URL(url).pathname).slice(0, MAX_TITLE_LENGTH),
    ),
    markdown: text,
    language: null,
    canonical: null,
    isNoindex: false,
    isNofollow: false,
    links: [],
    cutLinks: 0,
    refresh: null,
    looksScripted: false,
    readPart: partOf(raw),
  };
}

const partOf = (text: string): string | null => (text.length > MAX_CHARACTERS ? FIRST_CHARACTERS : null);

const clean = (text: string): string => text.slice(0, MAX_CHARACTERS).replaceAll(CONTROL_CHARACTERS, '').toWellFormed();
