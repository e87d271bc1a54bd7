const SIGNATURE = '-- ';

interface FlowedLine {
  depth: number;
  text: string;
}

/**
 * Returns a text of `format=flowed` with its paragraphs joined (RFC 3676, 4). A line continues the one before only at the same depth of
 * quotation. `isSpaceDeleted`: whether the space that ends a line is none of the text's (DelSp=yes).
 */
export function unflowed(text: string, isSpaceDeleted: boolean): string {
  const paragraphs: string[] = [];
  let parts: string[] = [];
  let depth = 0;
  const end = () => {
    if (parts.length > 0) paragraphs.push(quoted(depth, parts.join('')));
    parts = [];
  };
  for (const line of text.split('\n').map(readLine)) {
    const isSeparator = line.text === SIGNATURE;
    if (line.depth !== depth || isSeparator) end();
    depth = line.depth;
    const isFlowed = line.text.endsWith(' ') && !isSeparator;
    parts.push(isFlowed && isSpaceDeleted ? line.text.slice(0, -1) : line.text);
    if (!isFlowed) end();
  }
  end();
  return paragraphs.join('\n');
}

/** Separates the quote marks from the text, and removes the space that programs put before some lines. */
function readLine(line: string): FlowedLine {
  const [marks = ''] = /^>*/.exec(line) ?? [];
  const stuffed = line.slice(marks.length);
  return { depth: marks.length, text: stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed };
}

const quoted = (depth: number, text: string): string => (depth === 0 ? text : `${'>'.repeat(depth)} ${text}`);
