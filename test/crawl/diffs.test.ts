import { diffOf } from '../../src/crawl/visiting/diff.ts';

const textOf = (word: string) => Array.from({ length: 10 }, (_, n) => `${word} ${n} ${'x'.repeat(3_000)}`).join('\n');

it('a diff that is too long ends with a line that says how much was left out', () => {
  const diff = diffOf(textOf('old'), textOf('new')) ?? '';
  const [, kept = '', leftOut = ''] = /^(.*)\n\\ Left out: ([\d,]+) more characters$/s.exec(diff) ?? [];
  expect(kept).toHaveLength(20_000);
  const lines = ['@@ -1,10 +1,10 @@', ...['-old', '+new'].flatMap((word) => textOf(word).split('\n'))];
  expect(lines.join('\n').startsWith(kept)).toBe(true);
  expect(Number(leftOut.replaceAll(',', ''))).toBeGreaterThan(2 * textOf('old').length - 20_000);
});

it('a diff that fits is whole', () => {
  expect(diffOf('one\ntwo\n', 'one\nthree\n')).toBe('@@ -1,2 +1,2 @@\n one\n-two\n+three\n');
});
