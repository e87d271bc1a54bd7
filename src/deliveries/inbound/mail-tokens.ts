import { domainToASCII } from 'node:url';
import { createDeliverySigner, type DeliveryRef } from '../ledger/delivery-signer.ts';

/** What 64 characters before the @ (RFC 5321, 4.5.3.1.1) leave to it, in base32, beside a prefix and both ids. */
const MAC_BYTES = 6;
const TOKEN_LENGTH = 61;
/** 304 bits in base32 (RFC 4648, 7): the first of the digits holds four of them. */
const TOKEN = '[0-9a-f][0-9a-v]{60}';
const ONLY_TOKEN = new RegExp(`^${TOKEN}$`, 'i');
const OWN_ADDRESS = new RegExp(`^([br])-(${TOKEN})@(.+)$`, 'i');
const TOKENS_IN_TEXT = new RegExp(`(?<![\\w.+=-])(?:[br]-)?(${TOKEN})@`, 'gi');

export type MailboxKind = 'bounce' | 'reply';

export interface Mailbox extends DeliveryRef {
  kind: MailboxKind;
}

export interface MailTokens {
  /** Stands for a delivery before the @ of an address or Message-ID. Survives a change of case. */
  tokenOf(delivery: DeliveryRef): string;
  /** The delivery a token was made for, or undefined when it is not one of ours. */
  read(token: string): DeliveryRef | undefined;
  /** Which of our mailboxes at the domain an address is, if it is one. */
  readAddress(address: string, domain: string): Mailbox | undefined;
  /** The delivery that the first of our addresses or Message-IDs in a text is about, at whatever domain. */
  findRef(text: string): DeliveryRef | undefined;
}

/** Signed names of deliveries for e-mail: a bounce or reply that carries one is about that delivery, whoever it claims to be from. */
export function createMailTokens(secret: string): MailTokens {
  const { sign, verify } = createDeliverySigner(secret, 'mail tokens', MAC_BYTES);
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

/** Where a mail's bounces go (its envelope's sender). */
export const bounceAddress = (token: string, domain: string): string => `b-${token}@${domain}`;

/** Where a mail's replies go. */
export const replyAddress = (token: string, domain: string): string => `r-${token}@${domain}`;

/** With its angle brackets. */
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
