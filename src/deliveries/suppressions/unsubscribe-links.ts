import { createDeliverySigner, type DeliveryRef } from '../ledger/delivery-signer.ts';

const MAC_BYTES = 16;

export interface UnsubscribeLinks {
  urlOf(delivery: DeliveryRef): string;
  /** The delivery a token was made for, or undefined when it is not one of ours. */
  read(token: string): DeliveryRef | undefined;
}

/** Links by which a recipient unsubscribes without logging in. */
export function createUnsubscribeLinks(secret: string, publicUrl: string): UnsubscribeLinks {
  const { sign, verify } = createDeliverySigner(secret, 'unsubscribe links', MAC_BYTES);

  return {
    urlOf: (delivery) => `${publicUrl}/u/${sign(delivery).toString('base64url')}`,
    read(token) {
      const bytes = Buffer.from(token, 'base64url');
      return bytes.toString('base64url') === token ? verify(bytes) : undefined;
    },
  };
}
