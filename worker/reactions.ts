import { lookForFreeMembers, lookForRelievedMembers } from '../src/conversations/queues.service.ts';
import { assignOpenSessions, assignSessions, assignSessionsOfContacts } from '../src/desk/sla-assignment.service.ts';
import { lookAtChangedPolicies } from '../src/desk/sla-waking.service.ts';
import type { Reactions } from '../src/outbox/relay.ts';
import { enrollChangedContacts, enrollCreatedContacts } from '../src/sequences/enroll.service.ts';
import { dropSendsOfDeleted, reviewHolds } from '../src/sequences/holds.service.ts';
import { exitRepliedContacts } from '../src/sequences/replies.service.ts';

/** What we do ourselves about what happened, by the type of event. */
export const REACTIONS: Reactions = {
  'contact-created': [enrollCreatedContacts],
  'contact-updated': [enrollChangedContacts, assignSessionsOfContacts],
  'contact-deleted': [dropSendsOfDeleted],
  'contact-replied': [exitRepliedContacts],
  'sending-settings-changed': [reviewHolds],
  'staffing-changed': [lookForFreeMembers],
  'ticket-reassigned': [assignSessions, lookForRelievedMembers],
  'ticket-created': [assignSessions],
  'ticket-tag-added': [assignSessions],
  'sla-policy-changed': [lookAtChangedPolicies],
  'sla-assignments-changed': [assignOpenSessions],
  'sla-session-changed': [assignSessions],
};
