import { isOptIn, isOptOut } from '../../../src/deliveries/inbound/opt-out.rules.ts';
import { cpuTimeOf } from '../../support/measure.ts';

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
    'Opt out',
    'OPT-OUT',
    'Opt–out.',
    'Stop all',
    'stop  all!',
    'Un-subscribe',
  ])('is an opt-out: %j', (text) => {
    expect([isOptOut(text), isOptIn(text)]).toEqual([true, false]);
  });

  it.each(['START', 'yes', 'Unstop.', ' yes! ', 'un-stop'])('revokes an opt-out: %j', (text) => {
    expect([isOptOut(text), isOptIn(text)]).toEqual([false, true]);
  });

  it.each([
    '',
    ' ',
    '!',
    'please stop',
    'Please stop by',
    'opt out of what?',
    'Stop allergies',
    'opt in',
    'HELP',
    'STOP it',
    'nonstop',
    'stop1',
    '1 stop',
    'éstop',
    'yes please',
    'ſtop',
    'Ja',
  ])('is neither: %j', (text) => {
    expect([isOptOut(text), isOptIn(text)]).toEqual([false, false]);
  });

  it('is evaluated immediately at any length', () => {
    const [found, cpuMs] = cpuTimeOf(() => isOptOut(`${'!'.repeat(100_000)} stop ${'!'.repeat(100_000)}?a`));
    expect(found).toBe(false);
    expect(cpuMs).toBeLessThan(1_000);
  });
});
