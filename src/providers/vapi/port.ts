import type { Sender } from '../sending.ts';

/** A call to be made by an AI phone agent. A call is never dialled again by itself. */
export interface VoiceCall {
  deliveryId: string;
  /** E.164. */
  to: string;
  contactName: string | null;
  agent: PhoneAgentProfile;
}

/** What the voice platform needs to know of a phone agent. */
export interface PhoneAgentProfile {
  id: string;
  name: string;
  voice_id: string | null;
  language: string | null;
  first_message: string;
  handoff_phone_number: string | null;
}

export type VoiceSender = Sender<VoiceCall>;
