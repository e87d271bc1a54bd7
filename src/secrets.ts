import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { elementAt } from './collections/checked-access.ts';

const ALGORITHM = 'aes-256-gcm';
const TAG_BYTES = 16;
const IV_BYTES = 12;

/** A stored secret cannot be decrypted: its key is missing, or it was changed or moved. */
export class UnreadableSecret extends Error {}

/** The location of a secret. Ciphertext moved to another place does not decrypt. */
export interface SecretPlace {
  orgId: string;
  table: string;
  column: string;
  row: string;
}

export interface Secrets {
  encrypt(plain: string, place: SecretPlace): string;
  decrypt(sealed: string, place: SecretPlace): string;
  /**
   * Returns a text for each key, the first one for the key that encrypts. It is equal for equal secrets at a place, and
   * reveals nothing about them without the key.
   */
  fingerprints(plain: string, place: SecretPlace): [string, ...string[]];
  /** The ids of the keys. The first one encrypts. */
  keyIds: readonly string[];
}

/**
 * Creates AES-256-GCM encryption over a key ring `kid:base64,…`. Encrypts to `v1.kid.iv.ct.tag` with the first key and
 * decrypts with any. Throws on a malformed ring, an unknown key id, or changed or moved text.
 */
export function createSecrets(keyRing: string): Secrets {
  const keys = parseKeyRing(keyRing);
  const [activeKid, activeKey] = elementAt([...keys], 0);
  const fingerprintBy = (key: Buffer, plain: string, place: SecretPlace) => {
    const derived = createHmac('sha256', key).update('fingerprint').digest();
    return createHmac('sha256', derived).update(boundTo(place)).update('\n').update(plain).digest('base64url');
  };

  return {
    keyIds: [...keys.keys()],
    encrypt(plain, place) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, activeKey, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(place));
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return ['v1', activeKid, ...[iv, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join(
        '.',
      );
    },
    decrypt(sealed, place) {
      const [version, kid, iv, text, tag] = sealed.split('.');
      const key = keys.get(kid ?? '');
      if (version !== 'v1' || iv === undefined || text === undefined || tag === undefined) {
        throw new UnreadableSecret('Not an encrypted secret');
      }
      if (key === undefined) throw new UnreadableSecret(`SECRET_KEYS has no key "${kid}"`);
      const decipher = createDecipheriv(ALGORITHM, key, Buffer.from(iv, 'base64url'), { authTagLength: TAG_BYTES });
      decipher.setAAD(boundTo(place));
      decipher.setAuthTag(Buffer.from(tag, 'base64url'));
      const plain = decipher.update(Buffer.from(text, 'base64url'));
      try {
        return Buffer.concat([plain, decipher.final()]).toString('utf8');
      } catch (error) {
        throw new UnreadableSecret(`It was changed, moved or encrypted by another key "${kid}"`, { cause: error });
      }
    },
    fingerprints(plain, place) {
      const others = [...keys.values()].filter((key) => key !== activeKey);
      return [fingerprintBy(activeKey, plain, place), ...others.map((key) => fingerprintBy(key, plain, place))];
    },
  };
}

function parseKeyRing(keyRing: string): Map<string, Buffer> {
  const keys = new Map<string, Buffer>();
  for (const entry of keyRing.split(',').map((text) => text.trim())) {
    const [, kid, encoded] = /^([A-Za-z0-9_-]+):([A-Za-z0-9+/=_-]+)$/.exec(entry) ?? [];
    const key = Buffer.from(encoded ?? '', 'base64');
    if (kid === undefined || key.length !== 32) {
      throw new Error('SECRET_KEYS must be `kid:base64` of 32 bytes, separated by commas');
    }
    keys.set(kid, key);
  }
  return keys;
}

const boundTo = ({ orgId, table, column, row }: SecretPlace) =>
  Buffer.from([orgId, table, column, row].join('\n'), 'utf8');
