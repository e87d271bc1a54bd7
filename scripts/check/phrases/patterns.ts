/** A turn of phrase that readers stumble over, and what to write instead. */
export interface Pattern {
  name: string;
  pattern: RegExp;
  advice: string;
}

export const PATTERNS: Pattern[] = [
  { name: 'so that', pattern: /\bso\s+that\b/gi, advice: 'begin with what is wanted, or write two sentences' },
  {
    name: 'stands',
    pattern: /\b(?:stands?|stood)\b(?!\s+for\b)/gi,
    advice: '"is", "appears" or "belongs": rows and words do not stand',
  },
  { name: 'goes on', pattern: /\b(?:goes|go|went|going|gone)\s+on\b/gi, advice: '"continues"' },
  { name: 'of its own', pattern: /\bof\s+(?:its|their)\s+own\b/gi, advice: '"separate", "its own X" or "by itself"' },
  { name: 'nor', pattern: /\bnor\b/gi, advice: '"or" after a "not", or a second sentence' },
  {
    name: 'is told',
    pattern: /\b(?:is|are|was|were|be|been)\s+told\b(?!\s+apart)/gi,
    advice: 'say who hears what: "the contact gets", "the log names"',
  },
  { name: 'anew', pattern: /\banew\b/gi, advice: '"again"' },
  {
    name: 'what became of',
    pattern: /\bwhat\s+(?:became|becomes|has\s+become)\s+of\b/gi,
    advice: '"the result of", "the outcome of"',
  },
];
