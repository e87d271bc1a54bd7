import type { SigningSecrets } from '../../signatures.ts';
import { createDeliverySigner, type DeliveryRef } from './delivery-signer.ts';

const MAC_BYTES = 16;

/** Links to pages that need no login. Each is about one delivery. */
interface DeliveryLinks {
  urlOf(delivery: DeliveryRef): string;
  /** Returns the delivery of a token, or undefined if the token is not ours. */
  read(token: string): DeliveryRef | undefined;
}

export type UnsubscribeLinks = DeliveryLinks;
export type SurveyLinks = DeliveryLinks;

/** Creates links for unsubscribing. */
export const createUnsubscribeLinks = (secrets: SigningSecrets, publicUrl: string): UnsubscribeLinks =>
  createLinks(secrets, { base: `${publicUrl}/u`, use: 'unsubscribe links' });

/** Creates links to surveys. */
export const createSurveyLinks = (secrets: SigningSecrets, publicUrl: string): SurveyLinks =>
  createLinks(secrets, { base: `${publicUrl}/csat`, use: 'survey links' });

function createLinks(secrets: SigningSecrets, { base, use }: { base: string; use: string }): DeliveryLinks {
  const { sign, verify } = createDeliverySigner(secrets, use, MAC_BYTES);
  return {
    urlOf: (delivery) => `${base}/${sign(delivery).toString('base64url')}`,
    read(token) {
      const bytes = Buffer.from(token, 'base64url');
      return bytes.toString('base64url') === token ? verify(bytes) : undefined;
    },
  };
}
