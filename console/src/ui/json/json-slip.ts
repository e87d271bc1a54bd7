const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const PLAIN = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;
const SPACE = /[ \t\n\r]*/y;

/** What is wrong at a place of a text. */
class Slip extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Returns the place and kind of a syntax error in JSON, in words: Line 3: a comma is missing. */
export function slipIn(text: string): string {
  try {
    const end = afterValue(text, 0);
    if (afterSpace(text, end) < text.length) throw new Slip(afterSpace(text, end), 'something follows after the end');
    return 'It is no JSON';
  } catch (error) {
    if (!(error instanceof Slip)) return 'It is no JSON'; // nested too deep to be read here
    return `Line ${text.slice(0, error.at).split('\n').length}: ${error.message}`;
  }
}

/** Returns the end of a match that begins here, or undefined if there is none. */
function afterMatch(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

const afterSpace = (text: string, at: number): number => afterMatch(SPACE, text, at) ?? at;

function afterValue(text: string, from: number): number {
  const at = afterSpace(text, from);
  switch (text[at]) {
    case '{':
      return afterList(text, at, '}', afterPair);
    case '[':
      return afterList(text, at, ']', afterValue);
    case '"':
      return afterString(text, at);
    default: {
      const end = afterMatch(PLAIN, text, at);
      if (end !== undefined) return end;
      const isMissing = at === text.length || ',}]:'.includes(text[at] ?? '');
      throw new Slip(
        isMissing ? from : at,
        isMissing ? 'a value is missing' : 'this is no value, or a text without double quotes (")',
      );
    }
  }
}

function afterString(text: string, at: number): number {
  const end = afterMatch(STRING, text, at);
  if (end === undefined)
    throw new Slip(at, 'the closing quote of a text is missing, or \\ or a tab stands where it may not');
  return end;
}

function afterPair(text: string, from: number): number {
  const at = afterSpace(text, from);
  if (at === text.length) throw new Slip(from, 'the closing } is missing');
  if (text[at] !== '"') throw new Slip(at, 'a name needs double quotes (")');
  const end = afterString(text, at);
  const colon = afterSpace(text, end);
  if (text[colon] !== ':') throw new Slip(end, 'a colon is missing after a name');
  return afterValue(text, colon + 1);
}

/** Returns the end of what is in braces or brackets, each part as `afterPart` reads it. */
function afterList(
  text: string,
  begin: number,
  closing: '}' | ']',
  afterPart: (text: string, at: number) => number,
): number {
  let at = afterSpace(text, begin + 1);
  if (text[at] === closing) return at + 1;
  for (;;) {
    const end = afterPart(text, at);
    const next = afterSpace(text, end);
    if (text[next] === closing) return next + 1;
    if (text[next] !== ',')
      throw new Slip(end, isEnd(text[next]) ? `the closing ${closing} is missing` : 'a comma is missing');
    at = afterSpace(text, next + 1);
    if (text[at] === closing) throw new Slip(next, 'there is a comma too many');
  }
}

/** Whether the text or a list ends here. */
const isEnd = (character: string | undefined): boolean => character === undefined || '}]'.includes(character);
