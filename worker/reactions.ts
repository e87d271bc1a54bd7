import { holdHandoffs } from '../src/automations/handoff-hold/service.ts';
import { redactRuns } from '../src/automations/runs/redaction.service.ts';
import { syncTriggers } from '../src/automations/triggers/schedules.service.ts';
import { startTriggeredRuns } from '../src/automations/triggers/trigger-events.service.ts';
import { wakeAssignmentIfRelieved, wakeAssignmentIfWaiting } from '../src/conversations/assignment/queues.service.ts';
import { confirmPortalOnSettingsChange } from '../src/crm/connection/accounts.service.ts';
import { resumeCrm } from '../src/crm/connection/resumption.service.ts';
import { startHandoffs } from '../src/crm/handoffs/service.ts';
import { scheduleTicketCloses } from '../src/crm/handoffs/ticket-closing.service.ts';
import { wakeQueues } from '../src/crm/inbound/webhooks.service.ts';
import { relayToThreads } from '../src/crm/outgoing/service.ts';
import { redactBatchBodies, redactCrmCopies } from '../src/crm/redaction.service.ts';
import { relayToMiaw, resumeMiaw } from '../src/crm/salesforce/outgoing.service.ts';
import { embedOnChange } from '../src/knowledge/embedding/service.ts';
import type { Reactions } from '../src/outbox/relay.ts';
import { exitRepliedContacts } from '../src/sequences/enrollment/replies.service.ts';
import { enrollChangedContacts, enrollCreatedContacts } from '../src/sequences/enrollment/service.ts';
import { cancelSendsOfDeletedContacts, reevaluateDeferrals } from '../src/sequences/sending/deferrals.service.ts';
import {
  assignPolicies,
  assignPoliciesByContact,
  assignPoliciesToOpenSessions,
} from '../src/sla/assignment.service.ts';
import {
  announceChangesOfOfficeHours,
  wakeClocksOfActiveSessions,
  wakeClocksOfChangedPolicies,
} from '../src/sla/waking.service.ts';

/** Our own reactions to each type of event. */
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
  'session-activity': [wakeClocksOfActiveSessions],
  'office-hours-changed': [announceChangesOfOfficeHours],
};
