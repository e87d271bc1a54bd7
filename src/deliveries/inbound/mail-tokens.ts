import { domainToASCII } from 'node:url';
import type { SigningSecrets } from '../../signatures.ts';
import { createDeliverySigner, type DeliveryRef } from '../ledger/delivery-signer.ts';

/** The largest MAC in base32 within the 64 characters before the @ (RFC 5321, 4.5.3.1.1), beside a prefix and both ids. */
const MAC_BYTES = 6;
const TOKEN_LENGTH = 61;
/** 304 bits in base32 (RFC 4648, 7): the first digit carries four of them. */
const TOKEN = '[0-9a-f][0-9a-v]{60}';
const ONLY_TOKEN = new RegExp(`^${TOKEN}$`, 'i');
const OWN_ADDRESS = new RegExp(`^([br])-(${TOKEN})@(.+)$`, 'i');
const TOKENS_IN_TEXT = new RegExp(`(?<![\\w.+=-])(?:[br]-)?(${TOKEN})@`, 'gi');

export type MailboxKind = 'bounce' | 'reply';

export interface Mailbox extends DeliveryRef {
  kind: MailboxKind;
}

export interface MailTokens {
  /** Returns a delivery's token for the local part of an address or Message-ID. The token survives a change of case. */
  tokenOf(delivery: DeliveryRef): string;
  /** Returns the delivery of a token, or undefined if the token is not ours. */
  read(token: string): DeliveryRef | undefined;
  /** Returns our mailbox at the domain for an address, or undefined for any other address. */
  readAddress(address: string, domain: string): Mailbox | undefined;
  /** Finds the delivery of the first of our addresses or Message-IDs in a text, at any domain. */
  findRef(text: string): DeliveryRef | undefined;
}

/**
 * Signed names of deliveries for e-mail: a bounce or reply with such a name belongs to its delivery, whatever the
 * claimed sender.
 */
export function createMailTokens(secrets: SigningSecrets): MailTokens {
  const { sign, verify } = createDeliverySigner(secrets, 'mail tokens', MAC_BYTES);
  const read = (token: string) => (ONLY_TOKEN.test(token) ? verify(fromBase32(token)) : undefined);

  return {
    tokenOf: (delivery) => toBase32(sign(delivery)),
    read,
    readAddress(address, domain) {
      const [, prefix = '', token = '', host = ''] = OWN_ADDRESS.exec(address) ?? [];
      const delivery = domainToASCII(host) === domain ? read(token) : undefined;
      return delivery && { ...delivery, kind: prefix.toLowerCase() === 'b' ? 'bounce' : 'reply' };
    },
    findRef(text) {
      for (const [, token = ''] of text.matchAll(TOKENS_IN_TEXT)) {
        const delivery = read(token);
        if (delivery !== undefined) return delivery;
      }
      return undefined;
    },
  };
}

/** Whether an address has the form of those for bounces and replies, at any domain. */
export const isOwnAddress = (address: string): boolean => OWN_ADDRESS.test(address);

/** Returns the address for an e-mail's bounces: its envelope sender. */
export const bounceAddress = (token: string, domain: string): string => `b-${token}@${domain}`;

/** Returns the address for an e-mail's replies. */
export const replyAddress = (token: string, domain: string): string => `r-${token}@${domain}`;

/** Returns the Message-ID with its angle brackets. */
export const messageIdOf = (token: string, domain: string): string => `<${token}@${domain}>`;

const toBase32 = (bytes: Buffer): string =>
  BigInt(`0x${bytes.toString('hex')}`)
    .toString(32)
    .padStart(TOKEN_LENGTH, '0');

function fromBase32(token: string): Buffer {
  let number = 0n;
  for (const digit of token) number = number * 32n + BigInt(Number.parseInt(digit, 32));
  return Buffer.from(number.toString(16).padStart(76, '0'), 'hex');
}
