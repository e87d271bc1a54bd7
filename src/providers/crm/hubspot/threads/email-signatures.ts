import { emailOf, type Party, type RawMessage } from './threads.ts';

export interface Signature {
  domain: string;
  html: string;
}

const ANY = '*';

/** The signature of the address that an answer to this message is sent from: its exact domain's, else that of all domains. */
export function signatureFor(signatures: Signature[], message: RawMessage): Signature | undefined {
  const domains = new Set(ownParties(message).map((party) => emailOf(party)?.split('@').at(-1)?.toLowerCase()));
  return (
    signatures.find(({ domain }) => domains.has(domain.toLowerCase())) ??
    signatures.find(({ domain }) => domain === ANY)
  );
}

/** What came was sent to the address that we answer from. */
const ownParties = ({ direction, senders, recipients }: RawMessage): Party[] =>
  (direction === 'OUTGOING' ? senders : recipients) ?? [];
