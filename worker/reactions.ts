import { holdHandoffs } from '../src/automations/gates.service.ts';
import { startTriggered } from '../src/automations/happenings.service.ts';
import { forgetInRuns } from '../src/automations/redaction.service.ts';
import { tendTriggers } from '../src/automations/schedules.service.ts';
import { lookForFreeMembers, lookForRelievedMembers } from '../src/conversations/queues.service.ts';
import { askOnChange } from '../src/crm/accounts.service.ts';
import { closeTickets } from '../src/crm/closing.service.ts';
import { bringHandoffs } from '../src/crm/handoffs.service.ts';
import { relayToMiaw, resumeMiaw } from '../src/crm/miaw-outgoing.service.ts';
import { postToThreads } from '../src/crm/outgoing.service.ts';
import { wakeQueues } from '../src/crm/receiver.service.ts';
import { forgetPosted, forgetRedacted } from '../src/crm/redaction.service.ts';
import { resumeCrm } from '../src/crm/resuming.service.ts';
import { assignOpenSessions, assignSessions, assignSessionsOfContacts } from '../src/desk/sla-assignment.service.ts';
import { lookAtChangedPolicies } from '../src/desk/sla-waking.service.ts';
import { embedOnChange } from '../src/knowledge/index/embedding.service.ts';
import type { Reactions } from '../src/outbox/relay.ts';
import { enrollChangedContacts, enrollCreatedContacts } from '../src/sequences/enroll.service.ts';
import { dropSendsOfDeleted, reviewHolds } from '../src/sequences/holds.service.ts';
import { exitRepliedContacts } from '../src/sequences/replies.service.ts';

/** What we do ourselves about what happened, by the type of event. */
export const REACTIONS: Reactions = {
  'contact-created': [enrollCreatedContacts, startTriggered],
  'contact-updated': [enrollChangedContacts, assignSessionsOfContacts],
  'contact-deleted': [dropSendsOfDeleted],
  'contact-replied': [exitRepliedContacts],
  'sending-settings-changed': [reviewHolds],
  'staffing-changed': [lookForFreeMembers],
  'crm-events-received': [wakeQueues],
  'ticket-reassigned': [assignSessions, lookForRelievedMembers, startTriggered],
  'ticket-created': [assignSessions, startTriggered],
  'ticket-resolved': [closeTickets, startTriggered],
  'ticket-handoff': [bringHandoffs, startTriggered],
  'integration-changed': [askOnChange, embedOnChange, resumeCrm, resumeMiaw],
  'session-redacted': [forgetRedacted, forgetInRuns],
  'ticket-texts-redacted': [forgetPosted],
  'message-relayed': [postToThreads, relayToMiaw],
  'ticket-tag-added': [assignSessions, startTriggered],
  'sla-policy-changed': [lookAtChangedPolicies],
  'sla-assignments-changed': [assignOpenSessions],
  'pre-ticket-handoff': [holdHandoffs],
  'ticket-inactive': [startTriggered],
  'sequence-completed': [startTriggered],
  'csat-score-submit': [startTriggered],
  'phone-call-started': [startTriggered],
  'phone-call-finished': [startTriggered],
  'voice-call-transferred': [startTriggered],
  'pre-voice-call-transfer': [startTriggered],
  'sla-first-reply-breached': [startTriggered],
  'sla-next-reply-breached': [startTriggered],
  'sla-resolution-breached': [startTriggered],
  'workflow-changed': [tendTriggers],
  'sla-session-changed': [assignSessions],
};
