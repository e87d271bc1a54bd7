/** What the server answers, as far as the widget reads it. */
export interface Config {
  org: { name: string };
  appearance: {
    color: string;
    position: 'right' | 'left';
    logo: string | null;
    greeting: string | null;
    launcher: string | null;
  };
  collect: { name: boolean; email: boolean };
  hours: { open: boolean; next_open_at: string | null } | null;
  ai: { name: string; disclosure: string | null } | null;
  files: { types: string[]; max_bytes: number } | null;
  quick_replies: string[];
  languages: string[] | null;
}

export interface Session {
  id: string;
  updatedAt: string;
  isHandedOff: boolean;
  isOpened: boolean;
  assignee: { kind: 'human' | 'ai' | 'none'; name: string | null };
  unread: number;
}

export interface Attachment {
  name: string;
  type: string;
  size: number;
  url: string;
}

export interface Citation {
  title: string;
  url: string | null;
  quote: string | null;
}

export interface Confirmation {
  id: string;
  text: string;
  fields: { name: string; value: string; in?: string }[];
  expires_at: string;
  form_action_id?: string;
}

export interface Item {
  publicId: string;
  type: 'message' | 'system';
  content: { text: string };
  sender: { kind: 'user' | 'agent' | 'ai' | 'system' | 'unknown'; name?: string };
  sentAt: string;
  attachments?: Attachment[];
  citations?: Citation[];
  confirmation?: Confirmation;
  systemMessagePayload: { type: 'none' | 'csat_requested' | 'csat_submitted' | 'state_checkpoint' };
}

export interface Activity {
  agent_typing: boolean;
  ai_label: string | null;
}

export interface Polled {
  session: Session;
  history: Item[];
  activity: Activity;
  state: string;
}

export interface Sent {
  success: boolean;
  session?: Session;
  error?: { message: string };
}

export interface Uploaded {
  fileName: string;
  fileUrl: string;
}
