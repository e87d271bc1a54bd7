import type { Reactions } from '../src/outbox/relay.ts';
import { enrollChangedContacts, enrollCreatedContacts } from '../src/sequences/enroll.service.ts';
import { dropSendsOfDeleted, reviewHolds } from '../src/sequences/holds.service.ts';
import { exitRepliedContacts } from '../src/sequences/replies.service.ts';

/** What we do ourselves about what happened, by the type of event. */
export const REACTIONS: Reactions = {
  'contact-created': [enrollCreatedContacts],
  'contact-updated': [enrollChangedContacts],
  'contact-deleted': [dropSendsOfDeleted],
  'contact-replied': [exitRepliedContacts],
  'sending-settings-changed': [reviewHolds],
};
