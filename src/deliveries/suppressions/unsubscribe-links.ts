import type { SigningSecrets } from '../../signatures.ts';
import { createDeliverySigner, type DeliveryRef } from '../ledger/delivery-signer.ts';

const MAC_BYTES = 16;

export interface UnsubscribeLinks {
  urlOf(delivery: DeliveryRef): string;
  /** Returns the delivery of a token, or undefined if the token is not ours. */
  read(token: string): DeliveryRef | undefined;
}

/** Creates links for unsubscribing without a login. */
export function createUnsubscribeLinks(secrets: SigningSecrets, publicUrl: string): UnsubscribeLinks {
  const { sign, verify } = createDeliverySigner(secrets, 'unsubscribe links', MAC_BYTES);

  return {
    urlOf: (delivery) => `${publicUrl}/u/${sign(delivery).toString('base64url')}`,
    read(token) {
      const bytes = Buffer.from(token, 'base64url');
      return bytes.toString('base64url') === token ? verify(bytes) : undefined;
    },
  };
}
