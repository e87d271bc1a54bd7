import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'uuid';

const ID_BYTES = 16;

export interface DeliveryRef {
  orgId: string;
  deliveryId: string;
}

export interface DeliverySigner {
  sign(delivery: DeliveryRef): Buffer;
  /** Returns the delivery of signed bytes, or undefined for any others. Takes the same time for all invalid ones. */
  verify(bytes: Uint8Array): DeliveryRef | undefined;
}

/**
 * Signs references to deliveries for external use: both ids and a truncated HMAC-SHA256 over them, with a separate key
 * for each use.
 */
export function createDeliverySigner(secret: string, use: string, macBytes: number): DeliverySigner {
  const key = Buffer.from(hkdfSync('sha256', secret, '', use, 32));
  const macOf = (ids: Uint8Array) => createHmac('sha256', key).update(ids).digest().subarray(0, macBytes);

  return {
    sign({ orgId, deliveryId }) {
      const ids = Buffer.concat([parse(orgId), parse(deliveryId)]);
      return Buffer.concat([ids, macOf(ids)]);
    },
    verify(bytes) {
      if (bytes.length !== 2 * ID_BYTES + macBytes) return undefined;
      const ids = bytes.subarray(0, 2 * ID_BYTES);
      if (!timingSafeEqual(macOf(ids), bytes.subarray(2 * ID_BYTES))) return undefined;
      return { orgId: stringify(ids.subarray(0, ID_BYTES)), deliveryId: stringify(ids.subarray(ID_BYTES)) };
    },
  };
}
