import type { Reactions } from '../src/outbox/relay.ts';
import { enrollChangedContacts, enrollCreatedContacts } from '../src/sequences/enroll.service.ts';

/** What we do ourselves about what happened, by the type of event. */
export const REACTIONS: Reactions = {
  'contact-created': [enrollCreatedContacts],
  'contact-updated': [enrollChangedContacts],
};
