/** A send has four outcomes, as no provider is idempotent. */
export type SendOutcome =
  | { kind: 'accepted'; providerId: string }
  /**
   * It will never be sent. `suppress`: the address is unreachable or opted out. `config`: no message of this sender can
   * be sent. `providerId`: set if the provider had accepted it before.
   */
  | { kind: 'rejected'; because: 'permanent' | 'suppress' | 'config'; reason: string; providerId?: string }
  /** Certainly nothing was sent. `provider`: the provider as a whole is unavailable now. */
  | { kind: 'retry'; scope: 'recipient' | 'provider'; reason: string; retryAfterMs?: number | undefined }
  /** It may have been sent, or not. */
  | { kind: 'unknown'; reason: string };

/** A sending client of one provider. Each channel's port defines its message type. */
export interface Sender<Message> {
  provider: string;
  /** The number of useful concurrent sends. */
  concurrency: number;
  /** Never throws: failures are outcomes. */
  send(message: Message): Promise<SendOutcome>;
  /**
   * Asks the provider for the outcome of a send with a lost response. Returns undefined if the provider does not know
   * the send. Throws a ProviderError if the provider cannot tell.
   */
  findLostSend?(sent: LostSend): Promise<SendOutcome | undefined>;
  close(): void;
}

/** The known facts about a send with a lost response. */
export interface LostSend {
  deliveryId: string;
  to: string;
  /** The sent text, if the channel has one. */
  body: string | undefined;
  /** The text that may have been sent in its place. */
  otherBody?: string | undefined;
  /** The sender that the message asked for, if other than the connection's. */
  from?: string | undefined;
  /** It was not sent before this time. */
  since: Date;
}

/** A provider's status callback about one message. */
export interface StatusReport {
  providerId: string;
  /** Our own id, if the callback carries it. */
  deliveryId: string | undefined;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  reason: string | null;
  /** The address is unusable on this channel: it opted out or does not exist. */
  isSuppressing: boolean;
  /** Only the files of the message were refused: a text may still go. */
  isFileRefused?: boolean;
}

/** A file of a contact's message that is still at the provider. */
export interface InboundFile {
  kind: 'image' | 'audio' | 'video' | 'document' | 'sticker';
  /** Where the provider has it: a URL, or an id of WhatsApp or Slack. */
  source: string;
  /** The name given by the contact. */
  name: string | null;
}

/** What a contact says about further messages: no more, some again, or a question for help. */
export type Consent = 'stop' | 'start' | 'help';

/** How a message changes an earlier one of the contact. `of`: the provider's id of that one. */
export interface MessageChange {
  kind: 'edit' | 'deletion';
  of: string;
}

/** A message from a contact, received through the provider. */
export interface InboundMessage {
  providerId: string;
  /** A phone number, or the channel's id of a user who shows none. */
  from: string;
  /** The channel's id of the sender, if it is known. */
  userId?: string | undefined;
  /** The name that the sender has given themselves. */
  name?: string | undefined;
  /** Our number, page or account that it came to. In Slack the thread. */
  to: string;
  /** The provider's id of the number that it came to, if messages are sent by that and not by the number. */
  toId?: string | undefined;
  /** What the provider took it for, if it says so. */
  consent?: Consent | undefined;
  /** Empty if there are only files. */
  text: string;
  files?: InboundFile[];
  /** Whether the text only says what was sent, as for a location. */
  isDescription?: boolean;
  /** Whether it is a mere reaction to a message, which asks for no answer. */
  isReaction?: boolean;
  /** When the contact sent it, if the provider says so. */
  sentAt?: Date | undefined;
  /** Of an edit, whose content is in the other fields, and of a deletion. */
  change?: MessageChange;
  /** The raw form of a message that was not understood. */
  raw?: string;
}

/** An event in a call. */
export interface CallReport {
  moment: 'phone-call-started' | 'phone-call-finished' | 'pre-voice-call-transfer' | 'voice-call-transferred';
  providerId: string;
  /** Our own id, if the callback carries it. */
  deliveryId: string | undefined;
  /** The provider's data about the call. */
  call: Record<string, string | number | boolean | null>;
  /** Of a call that has ended. */
  end?: CallEnd;
}

export interface CallEnd {
  /** `failed` also if nobody answered. `transfer_lost` if the two have spoken, and the transfer to a person did not succeed. */
  outcome: 'answered' | 'transferred' | 'transfer_lost' | 'failed';
  /** What was said, in order. */
  said: SaidInCall[];
  /** The number of messages that are left out of `said`, as there are too many. */
  unsaid: number;
}

/** What one side said in a call without a pause of the other. */
export interface SaidInCall {
  by: 'contact' | 'ai';
  text: string;
}

/** A call that comes in, and waits for an assistant. */
export interface InboundCall {
  providerId: string;
  /** As the platform gives it. Undefined if the number is withheld. */
  from: string | undefined;
  name: string | undefined;
  /** The dialled number, and the platform's id of it. */
  to: string | undefined;
  toId: string | undefined;
}

/** An assistant that wants to transfer its call. */
export type TransferRequest = Omit<ToolRequest, 'calls'> & Pick<CallReport, 'call'>;

/** What an assistant asks us for during a call, by its tools. */
export interface ToolRequest {
  providerId: string;
  /** Our own ids, if the callback carries them. */
  deliveryId: string | undefined;
  agentId: string | undefined;
  calls: AskedTool[];
}

/** A call of a tool. `problem` says why it cannot be done, as text for the assistant. */
export type AskedTool =
  | { id: string; name: string; arguments: unknown; problem?: never }
  | { id: string; name?: string; problem: string };

/** The relevant content of a verified callback. */
export interface CallbackContent {
  reports: StatusReport[];
  messages: InboundMessage[];
  calls?: CallReport[];
  toolRequest?: ToolRequest;
  inboundCall?: InboundCall;
  transferRequest?: TransferRequest;
}
