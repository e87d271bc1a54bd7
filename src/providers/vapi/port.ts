import type { Sender } from '../sending.ts';

/** A call to be made by an AI phone agent. A call is never redialled automatically. */
export interface VoiceCall {
  deliveryId: string;
  /** E.164. */
  to: string;
  contactName: string | null;
  agent: PhoneAgentProfile;
}

/** The voice platform's view of a phone agent. */
export interface PhoneAgentProfile {
  id: string;
  name: string;
  /** The model that speaks. Null: our default. */
  model: string | null;
  voice_id: string | null;
  language: string | null;
  first_message: string;
  handoff_phone_number: string | null;
  /** What the org tells its AI in any case. */
  rules: string[];
  /** The training that the agent follows. */
  instructions: { title: string; content: string }[];
  /** What the agent may ask us for during a call. */
  tools: PhoneTool[];
}

/** A tool as the agent's model is told of it. */
export interface PhoneTool {
  name: string;
  description: string;
  /** A JSON Schema. */
  parameters: object;
}

/** Where the platform reports about a call, and asks for what its assistant needs. */
export interface AssistantServer {
  url: string;
  /** Sent back with every callback. */
  secret: string | undefined;
}

export type VoiceSender = Sender<VoiceCall>;

/** A number of the account. */
export interface PlatformNumber {
  id: string;
  /** Where the number is from, such as `twilio` or `byo-phone-number`. */
  kind: string;
  /** E.164. */
  number: string | null;
  sipUri: string | null;
  name: string | null;
  /** The SIP trunk that it uses. */
  trunkId: string | null;
  /** Whether an assistant that is stored at the platform answers. */
  hasAssistant: boolean;
  /** Where the platform asks for an assistant. */
  serverUrl: string | null;
}

/** A SIP trunk of the account. */
export interface PlatformTrunk {
  id: string;
  name: string | null;
  /** Each as `address:port`. */
  gateways: string[];
}

export interface PlatformVoice {
  id: string;
  name: string;
  gender?: 'female' | 'male' | undefined;
  accent?: string | undefined;
  /** A language code. */
  language?: string | undefined;
}

/** What an account at the voice platform has besides its calls. Throws ProviderErrors. */
export interface VoiceAccount {
  listNumbers(): Promise<PlatformNumber[]>;
  listTrunks(): Promise<PlatformTrunk[]>;
  listVoices(): Promise<PlatformVoice[]>;
  listModels(): Promise<string[]>;
  /** Sets who is asked for the assistant of a number, nobody for null, and its SIP trunk. */
  changeNumber(
    number: Pick<PlatformNumber, 'id' | 'kind'>,
    change: { server?: AssistantServer | null; trunkId?: string },
  ): Promise<PlatformNumber>;
}
