import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto';

const KEY_BYTES = 32;

/** The secrets of what this installation signs: the first one signs, and the signatures of all are accepted. */
export type SigningSecrets = readonly [string, ...string[]];

export interface Signatures {
  sign(content: string | Uint8Array): Buffer;
  /** Whether one of the secrets signed the content. The duration does not depend on the content or the secret. */
  isValid(content: string | Uint8Array, signature: Uint8Array): boolean;
  /** Returns the signature of the content by each of the secrets. */
  allOf(content: string | Uint8Array): [Buffer, ...Buffer[]];
}

/** Creates truncated HMAC-SHA256 signatures, with a separate key for each use. */
export function createSignatures([first, ...others]: SigningSecrets, use: string, bytes: number): Signatures {
  // With the bytes of a key, each signature would make a key object of them first, which takes five times as long.
  const keyOf = (secret: string) => createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', use, KEY_BYTES)));
  const signer = (secret: string) => {
    const key = keyOf(secret);
    return (content: string | Uint8Array) => createHmac('sha256', key).update(content).digest().subarray(0, bytes);
  };
  const sign = signer(first);
  const signers = others.map(signer);
  const allOf = (content: string | Uint8Array): [Buffer, ...Buffer[]] => [
    sign(content),
    ...signers.map((signOther) => signOther(content)),
  ];
  return {
    sign,
    allOf,
    isValid(content, signature) {
      if (signature.length !== bytes) return false;
      return allOf(content).filter((expected) => timingSafeEqual(expected, signature)).length > 0;
    },
  };
}
