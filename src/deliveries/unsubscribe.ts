import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'uuid';

const MAC_BYTES = 16;
const ID_BYTES = 16;

export interface DeliveryRef {
  orgId: string;
  deliveryId: string;
}

export interface UnsubscribeLinks {
  urlOf(delivery: DeliveryRef): string;
  /** The delivery a token was made for, or undefined when it is not one of ours. */
  read(token: string): DeliveryRef | undefined;
}

/** Links by which a recipient unsubscribes without logging in: both ids and a truncated HMAC-SHA256 over them. */
export function createUnsubscribeLinks(secret: string, publicUrl: string): UnsubscribeLinks {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'unsubscribe links', 32));
  const macOf = (ids: Uint8Array) => createHmac('sha256', key).update(ids).digest().subarray(0, MAC_BYTES);

  return {
    urlOf({ orgId, deliveryId }) {
      const ids = Buffer.concat([parse(orgId), parse(deliveryId)]);
      return `${publicUrl}/u/${Buffer.concat([ids, macOf(ids)]).toString('base64url')}`;
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url');
      if (bytes.length !== 2 * ID_BYTES + MAC_BYTES || bytes.toString('base64url') !== token) return undefined;
      const ids = bytes.subarray(0, 2 * ID_BYTES);
      if (!timingSafeEqual(macOf(ids), bytes.subarray(2 * ID_BYTES))) return undefined;
      return { orgId: stringify(ids.subarray(0, ID_BYTES)), deliveryId: stringify(ids.subarray(ID_BYTES)) };
    },
  };
}
