import type { Generated } from 'kysely';
import type { UserChannel } from './channels.rules.ts';

/** The ids by which Messenger, Instagram and Slack name contacts. */
export interface ChannelUsersTable {
  org_id: string;
  channel: UserChannel;
  user_id: string;
  contact_id: string;
  /** When the user was first found to be this contact. */
  seen_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    channel_users: ChannelUsersTable;
  }
}
