import type { Generated } from 'kysely';

/** Spec 2.1. */
export type SessionChannel =
  | 'web'
  | 'email'
  | 'phone_voice'
  | 'slack'
  | 'sms'
  | 'whatsapp'
  | 'instagram'
  | 'messenger'
  | 'api'
  | 'web_voice';

export interface SessionsTable {
  org_id: string;
  id: string;
  /** Null once the contact is deleted. */
  contact_id: string | null;
  channel: SessionChannel;
  status: Generated<'open' | 'closed_resolved' | 'closed_unresolved'>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  last_message_at: Date | null;
}

export interface MessagesTable {
  org_id: string;
  id: string;
  session_id: string;
  sender: 'contact' | 'ai' | 'human_agent' | 'system';
  content: string;
  created_at: Generated<Date>;
}
