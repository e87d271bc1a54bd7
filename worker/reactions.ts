import { holdHandoffs } from '../src/automations/gates.service.ts';
import { startTriggeredRuns } from '../src/automations/happenings.service.ts';
import { redactRuns } from '../src/automations/redaction.service.ts';
import { syncTriggers } from '../src/automations/schedules.service.ts';
import { wakeAssignmentIfRelieved, wakeAssignmentIfWaiting } from '../src/conversations/queues.service.ts';
import { confirmPortalOnSettingsChange } from '../src/crm/accounts.service.ts';
import { scheduleTicketCloses } from '../src/crm/closing.service.ts';
import { startHandoffs } from '../src/crm/handoffs.service.ts';
import { relayToMiaw, resumeMiaw } from '../src/crm/miaw-outgoing.service.ts';
import { relayToThreads } from '../src/crm/outgoing.service.ts';
import { wakeQueues } from '../src/crm/receiver.service.ts';
import { redactBatchBodies, redactCrmCopies } from '../src/crm/redaction.service.ts';
import { resumeCrm } from '../src/crm/resuming.service.ts';
import {
  assignPolicies,
  assignPoliciesByContact,
  assignPoliciesToOpenSessions,
} from '../src/desk/sla-assignment.service.ts';
import { wakeClocksOfChangedPolicies } from '../src/desk/sla-waking.service.ts';
import { embedOnChange } from '../src/knowledge/index/embedding.service.ts';
import type { Reactions } from '../src/outbox/relay.ts';
import { enrollChangedContacts, enrollCreatedContacts } from '../src/sequences/enroll.service.ts';
import { cancelSendsOfDeletedContacts, reevaluateDeferrals } from '../src/sequences/holds.service.ts';
import { exitRepliedContacts } from '../src/sequences/replies.service.ts';

/** What we do ourselves about what happened, by the type of event. */
export const REACTIONS: Reactions = {
  'contact-created': [enrollCreatedContacts, startTriggeredRuns],
  'contact-updated': [enrollChangedContacts, assignPoliciesByContact],
  'contact-deleted': [cancelSendsOfDeletedContacts],
  'contact-replied': [exitRepliedContacts],
  'sending-settings-changed': [reevaluateDeferrals],
  'staffing-changed': [wakeAssignmentIfWaiting],
  'crm-events-received': [wakeQueues],
  'ticket-reassigned': [assignPolicies, wakeAssignmentIfRelieved, startTriggeredRuns],
  'ticket-created': [assignPolicies, startTriggeredRuns],
  'ticket-resolved': [scheduleTicketCloses, startTriggeredRuns],
  'ticket-handoff': [startHandoffs, startTriggeredRuns],
  'integration-changed': [confirmPortalOnSettingsChange, embedOnChange, resumeCrm, resumeMiaw],
  'session-redacted': [redactCrmCopies, redactRuns],
  'ticket-texts-redacted': [redactBatchBodies],
  'message-relayed': [relayToThreads, relayToMiaw],
  'ticket-tag-added': [assignPolicies, startTriggeredRuns],
  'sla-policy-changed': [wakeClocksOfChangedPolicies],
  'sla-assignments-changed': [assignPoliciesToOpenSessions],
  'pre-ticket-handoff': [holdHandoffs],
  'ticket-inactive': [startTriggeredRuns],
  'sequence-completed': [startTriggeredRuns],
  'csat-score-submit': [startTriggeredRuns],
  'phone-call-started': [startTriggeredRuns],
  'phone-call-finished': [startTriggeredRuns],
  'voice-call-transferred': [startTriggeredRuns],
  'pre-voice-call-transfer': [startTriggeredRuns],
  'sla-first-reply-breached': [startTriggeredRuns],
  'sla-next-reply-breached': [startTriggeredRuns],
  'sla-resolution-breached': [startTriggeredRuns],
  'workflow-changed': [syncTriggers],
  'sla-session-changed': [assignPolicies],
};
