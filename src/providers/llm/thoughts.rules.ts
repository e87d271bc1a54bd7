import { isJson } from '../../documents/json-text.rules.ts';

/** The marks around what a model thinks, each with how it ends. Models write them in any case. */
const MARKS = ['think', 'thinking', 'thought', 'reasoning', 'reflection', 'seed:think']
  .map((name) => ({ begin: `<${name}>`, end: `</${name}>` }))
  .concat([
    { begin: '[think]', end: '[/think]' },
    { begin: '<|begin_of_thought|>', end: '<|end_of_thought|>' },
    { begin: '◁think▷', end: '◁/think▷' },
  ]);

/** The channels of gpt-oss: the answer is in the channel `final`, thoughts and remarks are in others. */
const CHANNEL = '<|channel|>';
const FINAL_CHANNEL = /<\|channel\|>\s*final\b[^<]{0,200}<\|message\|>/g;
const END_OF_CHANNEL = /<\|(?:end|return|start|channel)\|>/;
/** What is left of the channels where a server removes their marks. */
const BARE_FINAL = 'assistantfinal';

/**
 * Returns a model's answer without what it thought aloud: in marks at its beginning or between `<think>` anywhere, before
 * a closing mark without an opening one, behind an opening mark that is never closed, and in all channels but the last
 * `final` one. JSON is left as it is.
 */
export function withoutThoughts(text: string): string {
  if (isJson(text)) return text;
  const spoken = ofFinalChannel(text);
  const rest = withoutPairs(withoutLeading(withoutStrayEnd(spoken)));
  return rest === text ? text : rest.trim();
}

function ofFinalChannel(text: string): string {
  const final = [...text.matchAll(FINAL_CHANNEL)].at(-1);
  if (final !== undefined) {
    const said = text.slice(final.index + final[0].length);
    const end = said.search(END_OF_CHANNEL);
    return end === -1 ? said : said.slice(0, end);
  }
  if (text.trimStart().startsWith(CHANNEL)) return '';
  const bare = text.startsWith('analysis') ? text.indexOf(BARE_FINAL) : -1;
  return bare === -1 ? text : text.slice(bare + BARE_FINAL.length);
}

/** Cuts what is before a closing mark whose opening one a server or a template has taken away. */
function withoutStrayEnd(text: string): string {
  const lower = lowered(text);
  let cut = 0;
  for (const { begin, end } of MARKS) {
    const close = lower.indexOf(end);
    const open = lower.indexOf(begin);
    if (close !== -1 && (open === -1 || open > close)) cut = Math.max(cut, close + end.length);
  }
  return text.slice(cut);
}

/** Cuts thoughts at the beginning, one after the other. */
function withoutLeading(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const mark = MARKS.find(({ begin }) => lowered(rest.slice(0, begin.length)) === begin);
    if (mark === undefined) return rest.length === text.trimStart().length ? text : rest;
    const close = lowered(rest).indexOf(mark.end);
    if (close === -1) return '';
    rest = rest.slice(close + mark.end.length).trimStart();
  }
}

/** Cuts thoughts between words of the answer. Only `<think>` means nothing else there. */
function withoutPairs(text: string): string {
  const [{ begin, end }] = MARKS as [(typeof MARKS)[number]];
  const lower = lowered(text);
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const open = lower.indexOf(begin, at);
    if (open === -1) return [...kept, text.slice(at)].join('');
    kept.push(text.slice(at, open));
    const close = lower.indexOf(end, open);
    if (close === -1) return kept.join('');
    at = close + end.length;
  }
}

/** Lowers ASCII letters alone: others may change their length. */
const lowered = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
