import { maskPersonal } from '../../../src/ai/scenarios/masking.rules.ts';

it.each([
  ['Write to Ada.Love+x@shop.example.', 'Write to [email].'],
  ['Call 020 7946 0958 or +44 20 7946 0958.', 'Call [number] or [number].'],
  ['Call +49 30 1234 now.', 'Call [phone] now.'],
  ['My card 4111 1111 1111 1111, or 4111-1111-1111-1111.', 'My card [number], or [number].'],
  ['IBAN DE89 3704 0044 0532 0130 00', 'IBAN DE89 [number]'],
  [`It is ${'12345678'.repeat(20)}.`, 'It is [number].'],
  ['The number is ١٢٣٤٥٦٧٨٩٠.', 'The number is [number].'],
  [
    'A refund of 1,000.00 EUR takes 5 to 10 days, since 2026-01-02.',
    'A refund of 1,000.00 EUR takes 5 to 10 days, since 2026-01-02.',
  ],
])('of "%s" is left "%s"', (text, masked) => {
  expect(maskPersonal(text)).toBe(masked);
});

it('takes no time worth mentioning, whatever a customer wrote', () => {
  const begun = performance.now();
  for (const part of ['1 ', '12345678', '(1', 'a@a.a', 'a.']) maskPersonal(part.repeat(2_000));
  expect(performance.now() - begun).toBeLessThan(2_000);
});
