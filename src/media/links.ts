import { parse, stringify } from 'uuid';
import { createSignatures, type SigningSecrets } from '../signatures.ts';

const ID_BYTES = 16;
const EXPIRY_BYTES = 4;
const MAC_BYTES = 16;
const SIGNED_BYTES = 2 * ID_BYTES + EXPIRY_BYTES;
const DAY_SECONDS = 86_400;
const VALID_DAYS = 7;
/** The expiry of a link without end. */
const NEVER = 0xffffffff;

export interface MediaRef {
  org_id: string;
  id: string;
}

export interface MediaLinkTarget {
  orgId: string;
  mediaId: string;
  isExpired: boolean;
}

export interface MediaLinks {
  /**
   * Returns a link valid for seven days and the rest of the current one (UTC). The link stays the same all day, so
   * polling clients see no change.
   */
  linkOf(media: MediaRef, now?: Date): string;
  /** Returns a link valid until a time, to the second. */
  linkUntil(media: MediaRef, end: Date): string;
  /** Returns a link without end, for messages that leave. It ends with the file. */
  lastingLinkOf(media: MediaRef): string;
  /** Returns the target of a token, or undefined if the token is not ours. Takes the same time for all invalid ones. */
  read(token: string, now?: Date): MediaLinkTarget | undefined;
}

/**
 * Creates links to files. Anybody with a link gets the file. A link contains both ids and the expiry, with 128 bits of
 * HMAC-SHA256 over them.
 */
export function createMediaLinks(secrets: SigningSecrets, publicUrl: string): MediaLinks {
  const signatures = createSignatures(secrets, 'media links', MAC_BYTES);

  const linkOfSeconds = ({ org_id, id }: MediaRef, seconds: number) => {
    const expiry = Buffer.alloc(EXPIRY_BYTES);
    expiry.writeUInt32BE(seconds);
    const signed = Buffer.concat([parse(org_id), parse(id), expiry]);
    return `${publicUrl}/media/${Buffer.concat([signed, signatures.sign(signed)]).toString('base64url')}`;
  };

  return {
    linkOf: (media, now = new Date()) =>
      linkOfSeconds(media, (Math.floor(secondsOf(now) / DAY_SECONDS) + VALID_DAYS + 1) * DAY_SECONDS),
    linkUntil: (media, end) => linkOfSeconds(media, secondsOf(end)),
    lastingLinkOf: (media) => linkOfSeconds(media, NEVER),
    read(token, now = new Date()) {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== SIGNED_BYTES + MAC_BYTES || bytes.toString('base64url') !== token) return undefined;
      const signed = bytes.subarray(0, SIGNED_BYTES);
      if (!signatures.isValid(signed, bytes.subarray(SIGNED_BYTES))) return undefined;
      const expiry = signed.readUInt32BE(2 * ID_BYTES);
      return {
        orgId: stringify(signed.subarray(0, ID_BYTES)),
        mediaId: stringify(signed.subarray(ID_BYTES, 2 * ID_BYTES)),
        isExpired: expiry !== NEVER && expiry <= secondsOf(now),
      };
    },
  };
}

const secondsOf = (date: Date) => Math.floor(date.getTime() / 1000);
