/** An e-mail ready to go out. */
export interface EmailMessage {
  /** The delivery's id: the left part of the Message-ID, by which a lost answer, bounce or reply finds its delivery. */
  deliveryId: string;
  from: { name: string | undefined; address: string };
  to: string;
  subject: string;
  body: string;
  /** Where one POST unsubscribes (RFC 8058); absent on transactional mail. */
  unsubscribeUrl: string | undefined;
}

/** A send has four outcomes, as no provider is idempotent. */
export type SendOutcome =
  | { kind: 'accepted'; providerId: string }
  /** It will never go. `suppress`: the address is no good; `config`: no message of this sender can go. */
  | { kind: 'rejected'; because: 'permanent' | 'suppress' | 'config'; reason: string }
  /** Proof that nothing was sent. `provider`: the server as a whole does not take mail now. */
  | { kind: 'retry'; scope: 'recipient' | 'provider'; reason: string }
  /** It may have been sent, or not. */
  | { kind: 'unknown'; reason: string };

export interface EmailSender {
  provider: string;
  /** How many sends can usefully be under way at once. */
  concurrency: number;
  /** Never throws: what went wrong is an outcome. */
  send(message: EmailMessage): Promise<SendOutcome>;
  close(): void;
}
