import ts from 'typescript';

const NOT_PROSE = '\0';
const MIN_WORDS = 3;

/**
 * Returns the text of a file with all that is no prose blanked out, at the same places. Prose is comments and sentences
 * in strings, in a test the names of tests alone, and in a document what is neither code nor an example to avoid (❌).
 */
export function proseOf(path: string, text: string): string {
  if (path.endsWith('.md')) return proseOfDocument(text);
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const parts = path.startsWith('test/') ? namesOfTests(file) : sentencesAndComments(file);
  return show(text, parts);
}

type Part = { from: number; to: number };

const blanked = (text: string) => text.replaceAll(/\S/g, NOT_PROSE);

/** Blanks out all but the parts, which are in order. */
function show(text: string, parts: Part[]): string {
  const starts = [0, ...parts.map(({ to }) => to)];
  const shown = parts.map(
    ({ from, to }, n) => blanked(text.slice(starts[n], from)) + withoutMarks(text.slice(from, to)),
  );
  return shown.join('') + blanked(text.slice(starts.at(-1)));
}

/** Blanks out the stars and slashes of a comment, as a phrase may cross its lines. */
const withoutMarks = (text: string) =>
  text.replaceAll(/^\s*(?:\/\/|\/?\*+\/?)|\*\/$/gm, (mark) => mark.replaceAll(/[^\n]/g, ' '));

function proseOfDocument(text: string): string {
  return text.replaceAll(/^```.*?^```$|`[^`\n]+`|❌.*?$/gms, blanked);
}

function sentencesAndComments(file: ts.SourceFile): Part[] {
  const parts: Part[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return; // it is before a token too
    const children = node.getChildren(file);
    children.forEach(visit);
    if (children.length > 0) return;
    parts.push({ from: node.pos, to: node.getStart(file) }); // the comments before a token
    if (isSentence(node)) parts.push({ from: node.getStart(file), to: node.end });
  };
  visit(file);
  return parts;
}

const isSentence = (node: ts.Node) =>
  (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) && node.text.trim().split(/\s+/).length >= MIN_WORDS;

function namesOfTests(file: ts.SourceFile): Part[] {
  const parts: Part[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(?:it|test|describe)\b/.test(node.expression.getText(file))) {
      const [name] = node.arguments;
      if (name !== undefined && ts.isStringLiteralLike(name)) parts.push({ from: name.getStart(file), to: name.end });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return parts;
}
