import fc from 'fast-check';
import {
  bounceAddress,
  createMailTokens,
  messageIdOf,
  replyAddress,
} from '../../../src/deliveries/inbound/mail-tokens.ts';

const SECRET = 'the secret of the tests, 32 characters and more';
const tokens = createMailTokens([SECRET]);
const DELIVERY = { orgId: '0190a0a0-0000-7000-8000-000000000001', deliveryId: '0190a0a0-1111-7000-8000-00000000000f' };
const token = tokens.tokenOf(DELIVERY);

const deliveries = fc.record({ orgId: fc.uuid(), deliveryId: fc.uuid() });

describe('mail tokens', () => {
  it('name any delivery within 64 characters and survive a change of case', () => {
    fc.assert(
      fc.property(deliveries, fc.func(fc.boolean()), (delivery, isUpper) => {
        const made = tokens.tokenOf(delivery);
        expect(made).toMatch(/^[0-9a-v]{61}$/);
        expect(bounceAddress(made, 'x').indexOf('@')).toBeLessThanOrEqual(64);
        const mixed = Array.from(made, (digit, at) => (isUpper(at) ? digit.toUpperCase() : digit)).join('');
        expect(tokens.read(mixed)).toEqual(delivery);
      }),
    );
  });

  it('are refused with one character changed, added or removed', () => {
    fc.assert(
      fc.property(
        deliveries,
        fc.nat(60),
        fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz-'),
        (delivery, at, other) => {
          const made = tokens.tokenOf(delivery);
          const put = (text: string, end: number) => made.slice(0, at) + text + made.slice(end);
          if (made[at] !== other) expect(tokens.read(put(other, at + 1))).toBeUndefined();
          expect(tokens.read(put(other, at))).toBeUndefined();
          expect(tokens.read(put('', at + 1))).toBeUndefined();
        },
      ),
    );
  });

  it.each([
    [''],
    ['0'.repeat(61)],
    ['v'.repeat(61)],
    [`${token}\n`],
    [createMailTokens([`${SECRET}!`]).tokenOf(DELIVERY)],
  ])('are refused if they are not ours: %j', (text) => {
    expect(tokens.read(text)).toBeUndefined();
  });
});

describe('the mailbox of an address', () => {
  it.each([
    [bounceAddress(token, 'in.acme.example'), 'bounce'],
    [replyAddress(token, 'in.acme.example'), 'reply'],
    [replyAddress(token, 'in.acme.example').toUpperCase(), 'reply'],
    [`r-${token}@other.example`, undefined],
    [`r-${token}@in.acme.example.other.example`, undefined],
    [`x-${token}@in.acme.example`, undefined],
    [`${token}@in.acme.example`, undefined],
    [`r-${token}`, undefined],
    [`a r-${token}@in.acme.example`, undefined],
    [`r-${token.slice(1)}0@in.acme.example`, undefined],
    ['postmaster@in.acme.example', undefined],
    ['', undefined],
  ])('is recognized: %s as %s', (address, kind) => {
    expect(tokens.readAddress(address, 'in.acme.example')).toEqual(kind && { ...DELIVERY, kind });
  });

  it('is recognized at a domain outside ASCII in any spelling', () => {
    expect(tokens.readAddress(replyAddress(token, 'bücher.example'), 'xn--bcher-kva.example')).toBeDefined();
  });
});

describe('the delivery referred to by a text', () => {
  it.each([
    [messageIdOf(token, 'acme.example'), true],
    [`<first@example.com> <${token.toUpperCase()}@ACME.example>`, true],
    [`<${token.slice(1)}0@acme.example> ${messageIdOf(token, 'acme.example')}`, true],
    [bounceAddress(token, 'in.acme.example'), true],
    [`Acme <${replyAddress(token, 'in.acme.example')}>`, true],
    [token, false],
    [`<0${token}@acme.example>`, false],
    [`<x.${token}@acme.example>`, false],
    ['<first@example.com>', false],
    ['', false],
  ])('is found in “%s”: %s', (text, isFound) => {
    expect(tokens.findRef(text)).toEqual(isFound ? DELIVERY : undefined);
  });
});
