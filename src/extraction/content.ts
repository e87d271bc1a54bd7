import {
  CHROME_ELEMENTS,
  CHROME_NAMES,
  CHROME_NAMES_OF_DISCUSSION,
  CHROME_ROLES,
  CONTENT_NAMES,
  DISCUSSION,
  DISCUSSION_TYPE,
} from './chrome.rules.ts';
import { type Element, isElement, type Tree } from './tree.ts';

export interface ChosenContent {
  content: Element;
  isKept: (element: Element) => boolean;
}

interface SelectionContext {
  /** Characters of the whole content. An element with a large share of them is kept regardless of its name. */
  whole: number;
  isMain: boolean;
  chromeNames: RegExp;
}

const MIN_CONTENT = 200;
const MIN_QUESTION = 15;
const MAX_INSPECTED = 300;
const LARGE_SHARE = 0.4;
const LARGE_NAMED_SHARE = 0.3;
const MAX_LINKS_SHARE = 0.9;

/** Chooses the main content of a page, without menus, notices and references to other pages. */
export function chooseContent({ root }: Tree, url: string): ChosenContent {
  const body = findFirst(root, ({ name }) => name === 'body') ?? root;
  const isDiscussion = hasDiscussion(root, body, url);
  const content = chooseRoot(body, isDiscussion);
  const whole = content.textLength;
  const dropped = new Set<Element>();
  const kept = dropChrome(content, dropped, {
    whole,
    isMain: content !== body,
    chromeNames: isDiscussion ? CHROME_NAMES_OF_DISCUSSION : CHROME_NAMES,
  });
  if (kept < MIN_CONTENT && kept < whole * 0.1) return { content: body, isKept: isRendered };
  return { content, isKept: (element) => !dropped.has(element) };
}

const isRendered = ({ name }: Element) => name !== 'noscript';

/**
 * Whether the content consists of posts by several users, according to the page's address, its template's class or its
 * type.
 */
const hasDiscussion = (root: Element, body: Element, url: string): boolean =>
  DISCUSSION.test(url.slice(0, MAX_INSPECTED)) ||
  DISCUSSION.test(namesOf(body)) ||
  findFirst(root, ({ attributes: { itemtype } }) => itemtype !== undefined && DISCUSSION_TYPE.test(itemtype)) !==
    undefined;

function chooseRoot(body: Element, isDiscussion: boolean): Element {
  const atLeast = Math.min(MIN_CONTENT, body.textLength / 4);
  const big = (within: Element, test: (element: Element) => boolean) =>
    findAll(within, test)
      .filter(({ textLength }) => textLength >= atLeast)
      .sort((a, b) => b.textLength - a.textLength);
  const [main, otherMain] = big(body, ({ name, attributes }) => name === 'main' || attributes.role === 'main');
  const within = main !== undefined && otherMain === undefined ? main : body;
  const [article, another] = big(
    within,
    ({ name, attributes }) => name === 'article' || attributes.itemprop === 'articleBody',
  );
  const isAlone = article !== undefined && another === undefined && !isDiscussion;
  if (isAlone && article.textLength > within.textLength * 0.5) return article;
  if (within !== body) return within;
  const [known] = big(body, (element) => CONTENT_NAMES.test(namesOf(element)));
  return known !== undefined && known.textLength > body.textLength * 0.3 ? known : body;
}

/** Collects the elements to drop and returns the length of the remaining text. */
function dropChrome(element: Element, dropped: Set<Element>, setting: SelectionContext): number {
  let kept = element.textLength;
  for (const child of element.children) {
    if (!isElement(child)) continue;
    if (isChrome(child, setting)) {
      dropped.add(child);
      kept -= child.textLength;
    } else kept -= child.textLength - dropChrome(child, dropped, setting);
  }
  return kept;
}

function isChrome(element: Element, { whole, isMain, chromeNames }: SelectionContext): boolean {
  const { name, attributes, textLength, linkLength } = element;
  if (name === 'nav' || (!isMain && (name === 'header' || name === 'footer'))) return true;
  const isLarge = textLength >= whole * LARGE_SHARE;
  if (name === 'button' && isOfContent(element)) return false;
  if (name === 'noscript' || CHROME_ELEMENTS.has(name)) return !isLarge;
  if (attributes.role !== undefined && CHROME_ROLES.has(attributes.role)) return !isLarge;
  if (!isMain && isHidden(attributes)) return !isLarge;
  if ((name === 'ul' || name === 'ol') && !isMain && textLength > 0 && linkLength > textLength * MAX_LINKS_SHARE)
    return true;
  const names = namesOf(element);
  return (
    names !== '' && textLength < whole * LARGE_NAMED_SHARE && chromeNames.test(names) && !CONTENT_NAMES.test(names)
  );
}

/** A question button above its answer, or a button in a collapsible heading. */
const isOfContent = ({ parent, attributes, textLength }: Element) =>
  /^(?:h[1-6]|dt|summary)$/.test(parent?.name ?? '') ||
  (textLength >= MIN_QUESTION && (attributes['aria-expanded'] ?? attributes['aria-controls']) !== undefined);

const isHidden = ({ hidden, style, 'aria-hidden': ariaHidden }: Record<string, string>) =>
  hidden !== undefined || ariaHidden === 'true' || (style !== undefined && /display\s{0,4}:\s{0,4}none/i.test(style));

const namesOf = ({ attributes }: Element) => `${attributes.class ?? ''} ${attributes.id ?? ''}`.trim();

/** Returns the first matching descendant in document order. */
export function findFirst(element: Element, test: (element: Element) => boolean): Element | undefined {
  for (const child of element.children) {
    if (!isElement(child)) continue;
    const found = test(child) ? child : findFirst(child, test);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the outermost matching descendants. */
function findAll(element: Element, test: (element: Element) => boolean, elements: Element[] = []): Element[] {
  for (const child of element.children) {
    if (!isElement(child)) continue;
    if (test(child)) elements.push(child);
    else findAll(child, test, elements);
  }
  return elements;
}
