import type { MetaSettings } from '../api.ts';

const INSTAGRAM_URL = 'https://graph.instagram.com';

/** The connection of a Messenger page, or of an Instagram account. */
export type DirectConnection =
  | { base_url?: string | undefined; page_id: string; page_access_token: string }
  | { base_url?: string | undefined; account_id: string; access_token: string };

export interface DirectSettings extends MetaSettings {
  /** The page or account that messages go out from. */
  account: string;
  /** Whether the API takes what Messenger has beyond Instagram. */
  isMessenger: boolean;
}

/** Returns a connection in the terms that Messenger and Instagram share. */
export const directSettingsOf = (connection: DirectConnection): DirectSettings =>
  'page_id' in connection
    ? {
        base_url: connection.base_url,
        access_token: connection.page_access_token,
        account: connection.page_id,
        isMessenger: true,
      }
    : {
        base_url: connection.base_url ?? INSTAGRAM_URL,
        access_token: connection.access_token,
        account: connection.account_id,
        isMessenger: false,
      };
