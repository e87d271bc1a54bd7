import { emailOf, type Party, type RawMessage } from './threads.ts';

export interface Signature {
  domain: string;
  html: string;
}

const ANY = '*';

/**
 * Returns the signature for a reply to this message, by its sender address: that of the exact domain, else that of all
 * domains.
 */
export function signatureFor(signatures: Signature[], message: RawMessage): Signature | undefined {
  const domains = new Set(ownParties(message).map((party) => emailOf(party)?.split('@').at(-1)?.toLowerCase()));
  return (
    signatures.find(({ domain }) => domains.has(domain.toLowerCase())) ??
    signatures.find(({ domain }) => domain === ANY)
  );
}

/** Our side of a message: the recipients of an incoming one, the senders of an outgoing one. */
const ownParties = ({ direction, senders, recipients }: RawMessage): Party[] =>
  (direction === 'OUTGOING' ? senders : recipients) ?? [];
