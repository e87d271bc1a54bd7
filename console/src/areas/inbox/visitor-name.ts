import type { InboxRow } from '../../api/caches';

/**
 * Returns what the customer of a conversation is called: its name, or else an address of it. Few visitors of a widget leave
 * one.
 */
export const visitorNameOf = ({ contact }: Pick<InboxRow, 'contact'>) =>
  contact?.name || contact?.email || contact?.phone_number || 'Unknown visitor';
