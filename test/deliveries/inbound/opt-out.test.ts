import { describe, expect, it } from 'vitest';
import { isOptIn, isOptOut } from '../../../src/deliveries/inbound/opt-out.rules.ts';

describe('the text of a contact’s message', () => {
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
  ])('is an opt-out: %j', (text) => {
    expect([isOptOut(text), isOptIn(text)]).toEqual([true, false]);
  });

  it.each(['START', 'yes', 'Unstop.', ' yes! '])('revokes an opt-out: %j', (text) => {
    expect([isOptOut(text), isOptIn(text)]).toEqual([false, true]);
  });

  it.each(['', ' ', '!', 'please stop', 'STOP it', 'nonstop', 'stop1', '1 stop', 'éstop', 'yes please', 'ſtop', 'Ja'])(
    'is neither: %j',
    (text) => {
      expect([isOptOut(text), isOptIn(text)]).toEqual([false, false]);
    },
  );

  it('is evaluated immediately at any length', () => {
    const startedAt = performance.now();
    expect(isOptOut(`${'!'.repeat(100_000)} stop ${'!'.repeat(100_000)}?a`)).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
