/** A send has four outcomes, as no provider is idempotent. */
export type SendOutcome =
  | { kind: 'accepted'; providerId: string }
  /**
   * It will never go. `suppress`: the address is no good or opted out; `config`: no message of this sender can go. `providerId`: where the
   * provider had taken it before.
   */
  | { kind: 'rejected'; because: 'permanent' | 'suppress' | 'config'; reason: string; providerId?: string }
  /** Proof that nothing was sent. `provider`: the provider as a whole takes nothing now. */
  | { kind: 'retry'; scope: 'recipient' | 'provider'; reason: string; retryAfterMs?: number | undefined }
  /** It may have been sent, or not. */
  | { kind: 'unknown'; reason: string };

/** One client of a third party that sends. One port a channel says what a message is. */
export interface Sender<Message> {
  provider: string;
  /** How many sends can usefully be under way at once. */
  concurrency: number;
  /** Never throws: what went wrong is an outcome. */
  send(message: Message): Promise<SendOutcome>;
  /** Asks the provider what became of a send whose answer was lost. Undefined: it knows of none. Throws a ProviderError where it cannot say. */
  findLostSend?(sent: LostSend): Promise<SendOutcome | undefined>;
  close(): void;
}

/** What is known of a send whose answer was lost. */
export interface LostSend {
  deliveryId: string;
  to: string;
  /** The text that was sent, where the channel has one. */
  body: string | undefined;
  /** Not sent before this moment. */
  since: Date;
}

/** What a provider's status callback says about one message. */
export interface StatusReport {
  providerId: string;
  /** Our own id, where the callback carries it. */
  deliveryId: string | undefined;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  reason: string | null;
  /** The address is no good for this channel: it opted out, or is none. */
  isSuppressing: boolean;
}

/** A message that a contact sent us through the provider. */
export interface InboundMessage {
  providerId: string;
  from: string;
  to: string;
  text: string;
}

/** Something of note in a call. */
export interface CallReport {
  moment: 'phone-call-started' | 'phone-call-finished' | 'pre-voice-call-transfer' | 'voice-call-transferred';
  providerId: string;
  /** Our own id, where the callback carries it. */
  deliveryId: string | undefined;
  /** What the provider says of the call. */
  call: Record<string, string | number | null>;
}

/** What a verified callback holds. Anything that is of no interest to us is left out. */
export interface CallbackContent {
  reports: StatusReport[];
  messages: InboundMessage[];
  calls?: CallReport[];
}
