import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { endedByEnd, endedByStart, VOID } from './nesting.rules.ts';

export interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Child[];
  parent: Element | null;
  /** Characters of text in the element, and of its links alone. */
  textLength: number;
  linkLength: number;
  /** Contains a block element. */
  hasBlocks: boolean;
}
export type Child = Element | string;

export interface Tree {
  root: Element;
  /** References of links whose elements are not in the tree, such as those of image maps. */
  references: string[];
  /** Characters of scripts. */
  scriptLength: number;
  /** Its text is longer than MAX_CHARACTERS. */
  isCut: boolean;
}

/**
 * Deeper elements are merged into the one at this depth, as in browsers, so that code may walk the tree recursively.
 */
const MAX_DEPTH = 256;
const MAX_ATTRIBUTE_LENGTH = 4_000;
/** Further elements are ignored: a page must not use more memory than its thread has. */
const MAX_ELEMENTS = 200_000;
/** Further text is ignored too. */
export const MAX_CHARACTERS = 1_000_000;

const READ_ATTRIBUTES = new Set(
  `alt alttext aria-controls aria-expanded aria-hidden class colspan content data-lang data-language hidden href http-equiv id itemprop
   itemtype lang name property rel role rowspan shadowrootmode start style xlink:href xml:lang`.split(/\s+/),
);
/** Elements with ignored content. */
const SKIPPED_ELEMENTS = new Set(
  'script style svg iframe object audio video canvas map noframes noembed datalist select textarea annotation'.split(
    ' ',
  ),
);

/** Elements whose content is ignored, but not its links. */
const ELEMENTS_WITH_LINKS = new Set(['map', 'svg', 'object', 'canvas']);

/** Block elements. */
export const BLOCK_ELEMENTS = new Set(
  `address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4
   h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul`.split(
    /\s+/,
  ),
);
const SINGLE_ELEMENTS = new Set(['html', 'body']);
const HEAD_ELEMENTS = new Set(
  'base basefont bgsound link meta noframes noscript script style template title'.split(' '),
);

export const isElement = (child: Child): child is Element => typeof child !== 'string';

const createElement = (name: string, parent: Element | null): Element => ({
  name,
  attributes: Object.create(null),
  children: [],
  parent,
  textLength: 0,
  linkLength: 0,
  hasBlocks: false,
});

/**
 * Parses HTML into a tree of the parts relevant to a reader. Never throws; its time is linear in the size of the page.
 */
export function parseHtml(page: string): Tree {
  const html = page.replaceAll('<![CDATA[', '<!---->'); // browsers treat it as a comment up to the next >, not up to ]]>
  const builder = createBuilder(html);
  const tokenizer = new Tokenizer({ decodeEntities: true }, builder.callbacks);
  tokenizer.write(html);
  tokenizer.end();
  return builder.finish();
}

function createBuilder(html: string) {
  const root = createElement('#document', null);
  const references: string[] = [];
  const names: string[] = []; // names of all open elements
  const elements: Element[] = []; // the open elements; beyond MAX_DEPTH the same one repeats
  let current = root;
  let opening: Element | undefined;
  let attribute: string | undefined;
  let value = '';
  let skippedFrom = -1; // number of open elements outside the skipped one
  let foreignFrom = -1;
  let scriptLength = 0;
  let elementCount = 0;
  let characters = 0;
  let isCut = false;

  const closeTo = (count: number) => {
    while (names.length > count) {
      names.pop();
      const closed = elements.pop();
      if (closed !== elements.at(-1) && closed?.parent) addTo(closed.parent, closed);
    }
    current = elements.at(-1) ?? root;
    if (count <= skippedFrom) skippedFrom = -1;
    if (count <= foreignFrom) foreignFrom = -1;
  };
  const addText = (text: string) => {
    if (skippedFrom >= 0) {
      if (names.at(-1) === 'script') scriptLength += text.length;
      return;
    }
    const room = MAX_CHARACTERS - characters;
    isCut ||= text.length > room && text.trim() !== '';
    if (room <= 0) return;
    const kept = text.length > room ? text.slice(0, room) : text;
    const length = kept.trim().length;
    characters += length + 1;
    current.textLength += length;
    const last = current.children.length - 1;
    if (typeof current.children[last] === 'string') current.children[last] += kept;
    else current.children.push(kept);
  };
  const open = (name: string) => {
    if (skippedFrom < 0) {
      if (SINGLE_ELEMENTS.has(name) && names.includes(name)) return;
      if (names.at(-1) === 'head' && !HEAD_ELEMENTS.has(name)) closeTo(names.length - 1);
      const at = endedByStart(name, names);
      if (at >= 0) closeTo(at);
    }
    opening = createElement(name, current);
  };
  const addHiddenLink = ({ name, attributes }: Element) => {
    if ((name !== 'a' && name !== 'area') || !ELEMENTS_WITH_LINKS.has(names[skippedFrom] ?? '')) return;
    const reference = attributes.href ?? attributes['xlink:href'];
    if (reference !== undefined && ++elementCount <= MAX_ELEMENTS) references.push(reference);
  };
  const opened = (isSelfClosing: boolean) => {
    if (opening === undefined) return;
    const { name, attributes } = opening;
    if (skippedFrom >= 0) addHiddenLink(opening);
    if (VOID.has(name)) {
      if (skippedFrom < 0 && ++elementCount <= MAX_ELEMENTS) current.children.push(opening);
    } else if (!(isSelfClosing && foreignFrom >= 0)) {
      const isInTree = skippedFrom < 0 && names.length < MAX_DEPTH && ++elementCount <= MAX_ELEMENTS;
      if (isInTree) current.children.push(opening);
      names.push(name);
      elements.push(isInTree ? opening : current);
      current = isInTree ? opening : current;
      if (skippedFrom < 0 && (SKIPPED_ELEMENTS.has(name) || (name === 'template' && !('shadowrootmode' in attributes))))
        skippedFrom = names.length - 1;
      if (foreignFrom < 0 && (name === 'svg' || name === 'math')) foreignFrom = names.length - 1;
    }
    opening = undefined;
  };
  const close = (name: string) => {
    if (name === 'br') return void (skippedFrom < 0 && current.children.push(createElement('br', current)));
    const ended = SINGLE_ELEMENTS.has(name) ? undefined : endedByEnd(name, names); // content after them still belongs to them
    if (ended === undefined) return;
    if (!ended.isCrossed) return closeTo(ended.at);
    names[ended.at] = 'span';
    const element = elements[ended.at];
    if (element?.name === name) element.name = 'span';
  };
  const nameAt = (start: number, end: number) => html.slice(start, end).toLowerCase();

  const callbacks: TokenizerCallbacks = {
    ontext: (start, end) => addText(html.slice(start, end)),
    ontextentity: (codePoint) => addText(String.fromCodePoint(codePoint)),
    onopentagname: (start, end) => open(nameAt(start, end)),
    onopentagend: () => opened(false),
    onselfclosingtag: () => opened(true),
    onclosetag: (start, end) => close(nameAt(start, end)),
    onattribname(start, end) {
      const name = nameAt(start, end);
      attribute = READ_ATTRIBUTES.has(name) ? name : undefined;
      value = '';
    },
    onattribdata(start, end) {
      if (attribute !== undefined) value += html.slice(start, end);
    },
    onattribentity(codePoint) {
      if (attribute !== undefined) value += String.fromCodePoint(codePoint);
    },
    onattribend() {
      if (attribute === undefined || opening === undefined || attribute in opening.attributes) return;
      opening.attributes[attribute] = value.slice(0, MAX_ATTRIBUTE_LENGTH);
    },
    oncdata: () => undefined,
    isInForeignContext: () => foreignFrom >= 0,
    oncomment: () => undefined,
    ondeclaration: () => undefined,
    onprocessinginstruction: () => undefined,
    onend: () => undefined,
  };
  const finish = (): Tree => {
    closeTo(0);
    return { root, references, scriptLength, isCut };
  };
  return { callbacks, finish };
}

function addTo(parent: Element, { name, textLength, linkLength, hasBlocks }: Element): void {
  parent.hasBlocks ||= hasBlocks || BLOCK_ELEMENTS.has(name);
  parent.textLength += textLength;
  parent.linkLength += name === 'a' ? textLength : linkLength;
}
