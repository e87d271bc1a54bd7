import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type AttachmentStream, type HeaderLines, type Headers, MailParser, type MessageText } from 'mailparser';
import { unflowed } from './flowed-text.rules.ts';
import { isNamedFile, isOtherForm, type MimePart, type PartPosition } from './mime.rules.ts';

/** A part as the parser has it. */
interface ParserNode {
  contentType: string | false;
  isAttachment?: boolean;
  headers: Headers;
  parent?: ParserNode;
  children: ParserNode[];
  /** Of a text that is no attachment. */
  textContent?: string;
  /** Whether it is the header of a message within the message. */
  showMeta?: boolean;
}

/** The header fields of a part, as they say how to read it. */
interface ParserFields {
  filename: string | false;
  disposition: string | false;
  flowed: boolean;
  delSp: boolean;
}

declare module 'mailparser' {
  interface MailParser {
    createNode(fields: ParserFields): ParserNode;
  }
}

/** A file of an e-mail, as it was attached. */
export interface MimeFile {
  name: string | undefined;
  contentType: string;
  content: Buffer;
}

export interface ParsedMime {
  headers: Headers;
  headerLines: HeaderLines;
  /** Its texts, in their order and structure. */
  root: MimePart;
  files: MimeFile[];
}

/** The texts are converted here, in their order: the parser itself joins those of each type. */
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  keepDeliveryStatus: true,
};

/** A parser that keeps the parts of an e-mail as they are: named files in it stay files, and its lines stay lines. */
class PartsParser extends MailParser {
  readonly nodes: ParserNode[] = [];
  /** The parts of `format=flowed`, and whether the spaces that end their lines are to be deleted. */
  readonly flowed = new Map<ParserNode, boolean>();
  /** The headers of parts that are another form of the message. */
  readonly otherForms = new Set<Headers>();

  override createNode(fields: ParserFields): ParserNode {
    const node = super.createNode(fields);
    const position = positionOf(node, fields, this.nodes);
    if (isNamedFile(position)) node.isAttachment = true;
    if (isOtherForm(position)) this.otherForms.add(node.headers);
    if (fields.flowed) this.flowed.set(node, fields.delSp);
    fields.flowed = false; // the parser joins lines whatever their depth
    this.nodes.push(node);
    return node;
  }
}

/** Parses an e-mail. Throws if it is none. */
export async function parseMime(raw: Buffer): Promise<ParsedMime> {
  const parser = new PartsParser(OPTIONS);
  let headers: Headers | undefined;
  let headerLines: HeaderLines = [];
  parser.on('headers', (read) => {
    headers = read;
  });
  parser.on('headerLines', (read) => {
    headerLines = read;
  });
  parser.end(raw);
  const files: MimeFile[] = [];
  for await (const part of parser) {
    const file = await readFile(part);
    if (file !== undefined && !parser.otherForms.has(file.headers)) files.push(file);
  }
  const [root] = parser.nodes;
  if (root === undefined || headers === undefined) throw new Error('The e-mail has no header');
  return { headers, headerLines, root: partOf(root, parser.flowed), files };
}

async function readFile(part: AttachmentStream | MessageText): Promise<(MimeFile & { headers: Headers }) | undefined> {
  if (part.type !== 'attachment' || !(part.content instanceof Readable)) return undefined;
  const content = await buffer(part.content);
  part.release();
  const { filename: name, contentType, headers } = part;
  return { name, contentType, content, headers };
}

const typeOf = ({ contentType }: ParserNode): string => contentType || '';

function positionOf(node: ParserNode, { filename, disposition }: ParserFields, before: ParserNode[]): PartPosition {
  return {
    type: typeOf(node),
    isRoot: before.length === 0,
    isFirst: before.every(({ contentType }) => /^multipart\//.test(contentType || '')),
    isAlternative: node.parent?.contentType === 'multipart/alternative',
    isNamed: filename !== false,
    hasDisposition: disposition !== false,
  };
}

const partOf = (node: ParserNode, flowed: ReadonlyMap<ParserNode, boolean>): MimePart => ({
  type: typeOf(node),
  text: textOf(node, flowed),
  headers: node.showMeta === true ? node.headers : undefined,
  parts: node.children.map((child) => partOf(child, flowed)),
});

function textOf(node: ParserNode, flowed: ReadonlyMap<ParserNode, boolean>): string {
  const isSpaceDeleted = typeOf(node) === 'text/plain' ? flowed.get(node) : undefined;
  const { textContent: text = '' } = node;
  return isSpaceDeleted === undefined ? text : unflowed(text, isSpaceDeleted);
}
