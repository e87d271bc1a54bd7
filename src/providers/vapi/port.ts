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
  voice_id: string | null;
  language: string | null;
  first_message: string;
  handoff_phone_number: string | null;
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

export type VoiceSender = Sender<VoiceCall>;
