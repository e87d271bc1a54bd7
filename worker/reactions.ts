import { closeCallsOfResolved, closeOpenCalls, redactSessionCalls } from '../src/ai/calls/closing.service.ts';
import { createAutoTagging } from '../src/ai/tagging/applying.service.ts';
import { interruptTurns, redactTurns, requestTurns } from '../src/ai/turns/requests.service.ts';
import { holdHandoffs } from '../src/automations/handoff-hold/service.ts';
import { redactRuns } from '../src/automations/runs/redaction.service.ts';
import { isTriggerTypeUsed } from '../src/automations/runs/start-runs.service.ts';
import { startCalledRuns } from '../src/automations/triggers/ai-calls.service.ts';
import { syncTriggers } from '../src/automations/triggers/schedules.service.ts';
import { startTriggeredRuns } from '../src/automations/triggers/trigger-events.service.ts';
import type { TriggeringEvent } from '../src/automations/triggers/trigger-payloads.service.ts';
import { wakeAssignmentIfRelieved, wakeAssignmentIfWaiting } from '../src/conversations/assignment/queues.service.ts';
import { confirmPortalOnSettingsChange } from '../src/crm/connection/accounts.service.ts';
import { resumeCrm } from '../src/crm/connection/resumption.service.ts';
import { startHandoffs } from '../src/crm/handoffs/service.ts';
import { scheduleTicketCloses } from '../src/crm/handoffs/ticket-closing.service.ts';
import { wakeQueues } from '../src/crm/inbound/webhooks.service.ts';
import { postDrafts, relayToThreads } from '../src/crm/outgoing/service.ts';
import { redactBatchBodies, redactCrmCopies } from '../src/crm/redaction.service.ts';
import { relayToMiaw, resumeMiaw } from '../src/crm/salesforce/outgoing.service.ts';
import type { Trx } from '../src/db/connect.ts';
import type { WriteQuota } from '../src/db/write-quota.ts';
import { embedOnChange } from '../src/knowledge/embedding/service.ts';
import type { Reaction, Reactions } from '../src/outbox/relay.ts';
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

/**
 * Returns our own reactions to each type of event. Events that start customers' workflows wait while their org is beyond
 * its write quota: their runs would store more.
 */
export function createReactions(quota: Pick<WriteQuota, 'assertLeft'>): Reactions {
  const startWorkflows = async (trx: Trx, orgId: string, events: TriggeringEvent[]) => {
    const [first] = events;
    try {
      quota.assertLeft(orgId);
    } catch (error) {
      if (first !== undefined && (await isTriggerTypeUsed(trx, orgId, first.type))) throw error;
    }
    await startTriggeredRuns(trx, orgId, events);
  };

  const startCalled: Reaction<'workflow-called'> = async (trx, orgId, events) => {
    quota.assertLeft(orgId);
    await startCalledRuns(trx, orgId, events);
  };

  const applyTags = createAutoTagging();

  return {
    'contact-created': [enrollCreatedContacts, startWorkflows],
    'contact-updated': [enrollChangedContacts, assignPoliciesByContact],
    'contact-deleted': [cancelSendsOfDeletedContacts],
    'contact-replied': [exitRepliedContacts],
    'sending-settings-changed': [reevaluateDeferrals],
    'staffing-changed': [wakeAssignmentIfWaiting],
    'crm-events-received': [wakeQueues],
    'ticket-reassigned': [assignPolicies, wakeAssignmentIfRelieved, closeOpenCalls, interruptTurns, startWorkflows],
    'ticket-created': [assignPolicies, startWorkflows],
    'ticket-resolved': [applyTags, scheduleTicketCloses, closeCallsOfResolved, interruptTurns, startWorkflows],
    'ticket-handoff': [startHandoffs, startWorkflows],
    'integration-changed': [confirmPortalOnSettingsChange, embedOnChange, resumeCrm, resumeMiaw],
    'session-redacted': [redactCrmCopies, redactRuns, redactTurns, redactSessionCalls],
    'ticket-texts-redacted': [redactBatchBodies],
    'message-relayed': [relayToThreads, relayToMiaw],
    'ticket-tag-added': [assignPolicies, startWorkflows],
    'sla-policy-changed': [wakeClocksOfChangedPolicies],
    'sla-assignments-changed': [assignPoliciesToOpenSessions],
    'pre-ticket-handoff': [applyTags, closeOpenCalls, interruptTurns, holdHandoffs],
    'message-created': [requestTurns],
    'ai-draft-created': [postDrafts],
    'prohibited-topic-detected': [startWorkflows],
    'workflow-called': [startCalled],
    'ticket-inactive': [startWorkflows],
    'sequence-completed': [startWorkflows],
    'csat-score-submit': [startWorkflows],
    'phone-call-started': [startWorkflows],
    'phone-call-finished': [startWorkflows],
    'voice-call-transferred': [startWorkflows],
    'pre-voice-call-transfer': [startWorkflows],
    'sla-first-reply-breached': [startWorkflows],
    'sla-next-reply-breached': [startWorkflows],
    'sla-resolution-breached': [startWorkflows],
    'workflow-changed': [syncTriggers],
    'sla-session-changed': [assignPolicies],
    'session-activity': [wakeClocksOfActiveSessions],
    'office-hours-changed': [announceChangesOfOfficeHours],
  };
}
