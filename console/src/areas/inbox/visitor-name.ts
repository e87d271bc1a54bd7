import type { InboxRow } from '../../api/caches';

/** Returns what the customer of a conversation is called: few visitors of a widget leave a name or an address. */
export const visitorNameOf = ({ contact }: Pick<InboxRow, 'contact'>) =>
  contact?.name || contact?.email || 'Unknown visitor';
