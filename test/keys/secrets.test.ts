import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createSecrets, type SecretPlace } from '../../src/secrets.ts';

const ring = (...kids: string[]) => kids.map((kid) => `${kid}:${randomBytes(32).toString('base64')}`).join(',');
const keys = ring('k1');
const secrets = createSecrets(keys);
const place = fc.record<SecretPlace>({ orgId: fc.uuid(), table: fc.string(), column: fc.string(), row: fc.string() });
const text = fc.string({ unit: 'grapheme', maxLength: 500 });

describe('an encrypted secret', () => {
  it('an encrypted secret is decrypted unchanged at its location', () => {
    fc.assert(fc.property(text, place, (plain, at) => secrets.decrypt(secrets.encrypt(plain, at), at) === plain));
  });

  it('an encrypted secret does not contain the plain text, and differs each time', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), place, (plain, at) => {
        const sealed = secrets.encrypt(plain, at);
        return !sealed.includes(plain) && sealed !== secrets.encrypt(plain, at);
      }),
    );
  });

  it('an encrypted secret is refused after a change of any character', () => {
    fc.assert(
      fc.property(text, place, fc.nat(), fc.constantFrom(...'AZaz09-_.'), (plain, at, position, replacement) => {
        const sealed = secrets.encrypt(plain, at);
        const index = position % sealed.length;
        const changed = sealed.slice(0, index) + replacement + sealed.slice(index + 1);
        fc.pre(changed !== sealed && !decodesAlike(changed, sealed));
        expect(() => secrets.decrypt(changed, at)).toThrow();
      }),
    );
  });

  it('an encrypted secret is refused when truncated anywhere, including within its tag', () => {
    fc.assert(
      fc.property(text, place, fc.nat(), (plain, at, length) => {
        const sealed = secrets.encrypt(plain, at);
        const cut = sealed.slice(0, length % sealed.length);
        expect(() => secrets.decrypt(cut, at)).toThrow();
      }),
    );
  });

  it('an encrypted secret is refused at any other location', () => {
    fc.assert(
      fc.property(text, place, place, (plain, at, elsewhere) => {
        fc.pre(JSON.stringify(at) !== JSON.stringify(elsewhere));
        expect(() => secrets.decrypt(secrets.encrypt(plain, at), elsewhere)).toThrow();
      }),
    );
  });
});

describe('a ring of encryption keys', () => {
  const at = { orgId: 'o', table: 't', column: 'c', row: 'r' };

  it('a ring of encryption keys decrypts with every key and encrypts with the first, and keys can be rotated', () => {
    const rotated = createSecrets(`${ring('k2')},${keys}`);
    expect(rotated.decrypt(secrets.encrypt('old', at), at)).toBe('old');
    expect(rotated.encrypt('new', at)).toMatch(/^v1\.k2\./);
    expect(() => secrets.decrypt(rotated.encrypt('new', at), at)).toThrow('SECRET_KEYS has no key "k2"');
  });

  it.each(['', 'k1', 'k1:', 'k1:c2hvcnQ=', `${keys},`, 'k1:not base64!'])(
    'a ring of encryption keys is refused if it is malformed: "%s"',
    (malformed) => {
      expect(() => createSecrets(malformed)).toThrow('SECRET_KEYS');
    },
  );
});

/** Returns whether two secrets decode to the same bytes: the last character of base64url has unused bits. */
function decodesAlike(a: string, b: string): boolean {
  const [left, right] = [a.split('.'), b.split('.')];
  if (left.length !== right.length || left[0] !== right[0] || left[1] !== right[1]) return false;
  return left.every((part, index) =>
    Buffer.from(part, 'base64url').equals(Buffer.from(right[index] as string, 'base64url')),
  );
}
