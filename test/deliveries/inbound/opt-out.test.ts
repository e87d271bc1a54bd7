import { describe, expect, it } from '@jest/globals';
import { isOptIn, isOptOut } from '../../../src/deliveries/inbound/opt-out.rules.ts';

describe('a contact’s message', () => {
  it.each([
    'STOP',
    'stop',
    ' Stop. ',
    '“STOP!”',
    'stopall',
    'Unsubscribe',
    'cancel',
    'END',
    'quit',
    'STOP 🙏',
    '\nrevoke',
    'optout',
  ])('opts out: %j', (text) => {
    expect([isOptOut(text), isOptIn(text)]).toEqual([true, false]);
  });

  it.each(['START', 'yes', 'Unstop.', ' yes! '])('takes it back: %j', (text) => {
    expect([isOptOut(text), isOptIn(text)]).toEqual([false, true]);
  });

  it.each(['', ' ', '!', 'please stop', 'STOP it', 'nonstop', 'stop1', '1 stop', 'éstop', 'yes please', 'ſtop', 'Ja'])(
    'is no such word: %j',
    (text) => {
      expect([isOptOut(text), isOptIn(text)]).toEqual([false, false]);
    },
  );

  it('is judged at once, however long it is', () => {
    const startedAt = performance.now();
    expect(isOptOut(`${'!'.repeat(100_000)} stop ${'!'.repeat(100_000)}?a`)).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
