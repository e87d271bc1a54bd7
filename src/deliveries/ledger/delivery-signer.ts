import { parse, stringify } from 'uuid';
import { createSignatures, type SigningSecrets } from '../../signatures.ts';

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

/** Signs references to deliveries for external use: both ids and a signature of them. */
export function createDeliverySigner(secrets: SigningSecrets, use: string, macBytes: number): DeliverySigner {
  const signatures = createSignatures(secrets, use, macBytes);

  return {
    sign({ orgId, deliveryId }) {
      const ids = Buffer.concat([parse(orgId), parse(deliveryId)]);
      return Buffer.concat([ids, signatures.sign(ids)]);
    },
    verify(bytes) {
      if (bytes.length !== 2 * ID_BYTES + macBytes) return undefined;
      const ids = bytes.subarray(0, 2 * ID_BYTES);
      if (!signatures.isValid(ids, bytes.subarray(2 * ID_BYTES))) return undefined;
      return { orgId: stringify(ids.subarray(0, ID_BYTES)), deliveryId: stringify(ids.subarray(ID_BYTES)) };
    },
  };
}
