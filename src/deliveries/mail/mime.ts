import { createReadStream } from 'node:fs';
import { Readable, type Transform } from 'node:stream';
import { type AttachmentStream, type HeaderLines, type Headers, MailParser, type MessageText } from 'mailparser';
import { isAscii, isReadAsUtf8, textOfBytes } from './charsets.rules.ts';
import { unflowed } from './flowed-text.rules.ts';
import { createFileKeeper, type KeptFile } from './mail-files.ts';
import { isNamedFile, isOtherForm, type MimePart, maxTextBytes, type PartPosition } from './mime.rules.ts';

/** A part as the parser has it. */
interface ParserNode {
  contentType: string | false;
  charset?: string;
  isAttachment?: boolean;
  /** Its decoded bytes. A container has none. */
  decoder?: Transform;
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
    processHeaders(lines: HeaderLines): Headers;
    getTextContent(): MessageText;
  }
}

/** A file of an e-mail, as it was attached. */
export interface MimeFile extends KeptFile {
  name: string | undefined;
  contentType: string;
}

export interface ParsedMime {
  headers: Headers;
  headerLines: HeaderLines;
  /** Its texts, in their order and structure. */
  root: MimePart;
  /** Whether its texts are longer than what is read of them. */
  isCut: boolean;
  files: MimeFile[];
}

/** More is read by no mail program. */
const MAX_PARTS = 20_000;

/** The texts are converted here, in their order: the parser itself joins those of each type. */
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  keepDeliveryStatus: true,
  maxChildNodes: MAX_PARTS,
};

/** A parser that keeps the parts of an e-mail as they are: named files in it stay files, and its lines stay lines. */
class PartsParser extends MailParser {
  readonly nodes: ParserNode[] = [];
  /** The parts of `format=flowed`, and whether the spaces that end their lines are to be deleted. */
  readonly flowed = new Map<ParserNode, boolean>();
  /** The headers of parts that are another form of the message. */
  readonly otherForms = new Set<Headers>();
  /** Whether a text was too long. */
  isCut = false;
  /** The bytes of texts that are read as UTF-8. */
  readonly utf8 = new Map<ParserNode, Buffer[]>();
  private readonly textBytes = new Map<string, number>();

  override createNode(fields: ParserFields): ParserNode {
    const node = super.createNode(fields);
    const position = positionOf(node, fields, this.nodes);
    if (isNamedFile(position)) node.isAttachment = true;
    if (isOtherForm(position)) this.otherForms.add(node.headers);
    if (fields.flowed) this.flowed.set(node, fields.delSp);
    fields.flowed = false; // the parser joins lines whatever their depth
    if (node.decoder !== undefined && node.isAttachment !== true) this.limitText(node, node.decoder);
    this.nodes.push(node);
    return node;
  }

  /** The parser reads lines as UTF-8, of which each character is a byte here. */
  override processHeaders(lines: HeaderLines): Headers {
    const inUtf8 = (line: string) =>
      isAscii(line) ? line : Buffer.from(textOfBytes(Buffer.from(line, 'latin1'))).toString('latin1');
    return super.processHeaders(lines.map(({ key, line }) => ({ key, line: inUtf8(line) })));
  }

  /** The texts are taken from the nodes: the parser needs not join them. */
  override getTextContent(): MessageText {
    return { type: 'text' };
  }

  /** Lets no more than the texts of a type may have through, and keeps it where it is read as UTF-8. */
  private limitText(node: ParserNode, decoder: Transform): void {
    const type = typeOf(node);
    const kept: Buffer[] | undefined = isReadAsUtf8(node.charset) ? [] : undefined;
    if (kept !== undefined) this.utf8.set(node, kept);
    const push = decoder.push.bind(decoder);
    const most = maxTextBytes(type);
    const pushWithin = (chunk: Buffer | null) => {
      if (chunk === null) return push(null);
      const left = most - (this.textBytes.get(type) ?? 0);
      const taken = chunk.subarray(0, left);
      this.textBytes.set(type, most - left + taken.length);
      if (taken.length < chunk.length) this.isCut = true;
      kept?.push(taken);
      return taken.length === 0 || push(taken);
    };
    decoder.push = pushWithin; // V8 keeps a function that is written here as long-lived, and the e-mail with it
  }
}

/**
 * Parses an e-mail, given as its bytes or as the path of its file. With a folder, larger files of it are put there, and
 * what is in memory is bounded. Throws if it is none.
 */
export async function parseMime(raw: Buffer | string, folder?: string): Promise<ParsedMime> {
  const parser = new PartsParser(OPTIONS);
  let headers: Headers | undefined;
  let headerLines: HeaderLines = [];
  parser.on('headers', (read) => {
    headers = read;
  });
  parser.on('headerLines', (read) => {
    headerLines = read;
  });
  if (typeof raw === 'string')
    createReadStream(raw)
      .on('error', (error) => parser.destroy(error))
      .pipe(parser);
  else parser.end(raw);
  const keep = createFileKeeper(folder);
  let current: AttachmentStream | MessageText | undefined;
  parser.on('error', (error) => {
    if (current?.type === 'attachment' && current.content instanceof Readable) current.content.destroy(error); // it would wait for its end forever
  });
  const files: MimeFile[] = [];
  for await (const part of parser) {
    current = part;
    const file = await readFile(part, keep);
    if (file !== undefined && !parser.otherForms.has(file.headers)) files.push(file);
  }
  const [root] = parser.nodes;
  if (root === undefined || headers === undefined) throw new Error('The e-mail has no header');
  if (isWithoutParts(root)) return { headers, headerLines, ...readWhole(raw), files };
  return { headers, headerLines, root: partOf(root, parser), isCut: parser.isCut, files };
}

/** Whether an e-mail says that it has parts and has none, as where its header names another boundary than its body. */
const isWithoutParts = (root: ParserNode): boolean => /^multipart\//.test(typeOf(root)) && root.children.length === 0;

/** Returns all below the header as the text. Throws for a large e-mail. */
function readWhole(raw: Buffer | string): Pick<ParsedMime, 'root' | 'isCut'> {
  if (typeof raw === 'string') throw new Error('The e-mail has no parts');
  const [, ...paragraphs] = textOfBytes(raw.subarray(0, maxTextBytes('text/plain'))).split(/\r?\n\r?\n/);
  const text = paragraphs.join('\n\n').replaceAll('\r\n', '\n');
  return {
    root: { type: 'text/plain', text, headers: undefined, parts: [] },
    isCut: raw.length > maxTextBytes('text/plain'),
  };
}

async function readFile(
  part: AttachmentStream | MessageText,
  keep: ReturnType<typeof createFileKeeper>,
): Promise<(MimeFile & { headers: Headers }) | undefined> {
  if (part.type !== 'attachment' || !(part.content instanceof Readable)) return undefined;
  const { filename: name, contentType, headers } = part;
  const kept = await keep(part.content, contentType);
  part.release();
  return { name, contentType, ...kept, headers };
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

const partOf = (node: ParserNode, parser: PartsParser): MimePart => ({
  type: typeOf(node),
  text: textOf(node, parser),
  headers: node.showMeta === true ? node.headers : undefined,
  parts: node.children.map((child) => partOf(child, parser)),
});

function textOf(node: ParserNode, { flowed, utf8 }: PartsParser): string {
  const isSpaceDeleted = typeOf(node) === 'text/plain' ? flowed.get(node) : undefined;
  const text = repaired(node.textContent ?? '', utf8.get(node));
  return isSpaceDeleted === undefined ? text : unflowed(text, isSpaceDeleted);
}

/** Returns a text with what its bytes say where they are no UTF-8. */
const repaired = (text: string, bytes: Buffer[] | undefined): string =>
  bytes !== undefined && text.includes('\uFFFD') ? textOfBytes(Buffer.concat(bytes)).replaceAll(/\r?\n/g, '\n') : text;
