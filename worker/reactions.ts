import { calibrateOnChange, calibrateOnStart } from '../src/ai/calibration/service.ts';
import { closeCallsOfResolved, closeOpenCalls, redactSessionCalls } from '../src/ai/calls/closing.service.ts';
import { reviewCitations, reviewNewCitations } from '../src/ai/citations/service.ts';
import { summarizeHandoffs, summarizeResolutions } from '../src/ai/summaries/requests.service.ts';
import { interruptTurns, redactTurns, requestTurns } from '../src/ai/turns/requests.service.ts';
import { holdHandoffs, IS_HELD } from '../src/automations/handoff-hold/service.ts';
import { redactRuns } from '../src/automations/runs/redaction.service.ts';
import { isTriggerTypeUsed } from '../src/automations/runs/start-runs.service.ts';
import { startCalledRuns } from '../src/automations/triggers/ai-calls.service.ts';
import { syncTriggers } from '../src/automations/triggers/schedules.service.ts';
import { startTriggeredRuns } from '../src/automations/triggers/trigger-events.service.ts';
import type { TriggeringEvent } from '../src/automations/triggers/trigger-payloads.service.ts';
import { elementAt } from '../src/collections/checked-access.ts';
import type { Config } from '../src/config.ts';
import { assignIfRelieved, assignIfWaiting } from '../src/conversations/assignment/queues.service.ts';
import { confirmPortalOnSettingsChange } from '../src/crm/connection/accounts.service.ts';
import { resumeCrm, resumePendingHandoffs } from '../src/crm/connection/resumption.service.ts';
import { startHandoffs } from '../src/crm/handoffs/service.ts';
import { scheduleTicketCloses } from '../src/crm/handoffs/ticket-closing.service.ts';
import { scheduleTicketReopenings } from '../src/crm/handoffs/ticket-reopening.service.ts';
import { wakeQueues } from '../src/crm/inbound/webhooks.service.ts';
import { tellChangesOfCopies } from '../src/crm/outgoing/changes.service.ts';
import { postDrafts, relayToThreads } from '../src/crm/outgoing/service.ts';
import { redactBatchBodies, redactCrmCopies } from '../src/crm/redaction.service.ts';
import { relayToMiaw, resumeMiaw } from '../src/crm/salesforce/outgoing.service.ts';
import { scheduleSurveys } from '../src/csat/survey/requests.service.ts';
import type { Trx } from '../src/db/connect.ts';
import type { WriteQuota } from '../src/db/write-quota.ts';
import { redactEvals } from '../src/evals/service.ts';
import { revokeOnContactDeletion, revokeOnRedaction } from '../src/exports/service.ts';
import { dropGoneCategories } from '../src/insights/categories/service.ts';
import { requestExtraction, wakeExtractions } from '../src/insights/extraction/requests.service.ts';
import { redactInsights } from '../src/insights/redaction/service.ts';
import { embedOnChange } from '../src/knowledge/embedding/service.ts';
import { redactLearnedDrafts } from '../src/knowledge/training/service.ts';
import { deleteConfirmationsOfSession } from '../src/mcp/confirmations/service.ts';
import { createMediaLinks } from '../src/media/links.ts';
import type { EventType } from '../src/outbox/events.ts';
import type { Reaction, Reactions, ReadingMoment } from '../src/outbox/reactions.ts';
import { exitRepliedContacts } from '../src/sequences/enrollment/replies.service.ts';
import { enrollChangedContacts, enrollCreatedContacts } from '../src/sequences/enrollment/service.ts';
import { cancelSendsOfDeletedContacts, reevaluateDeferrals } from '../src/sequences/reconciliation/service.ts';
import {
  assignPolicies,
  assignPoliciesByChange,
  assignPoliciesByContact,
  assignPoliciesToOpenSessions,
  assignPoliciesWithoutContact,
} from '../src/sla/assignment/service.ts';
import {
  announceChangesOfOfficeHours,
  wakeClocksOfActiveSessions,
  wakeClocksOfChangedPolicies,
} from '../src/sla/clocks/waking.service.ts';
import { createAutoTagging } from '../src/tagging/applying.service.ts';
import { requestModelSuggestions } from '../src/tagging/model-suggestions.service.ts';
import { type AnnouncingDeps, createWebhookReactions } from '../src/webhooks/events/announcements.service.ts';
import { createDisabledNotice } from '../src/webhooks/notices.service.ts';
import { redactContactWebhooks, redactInsightWebhooks, redactWebhooks } from '../src/webhooks/redaction.service.ts';

/**
 * Returns our own reactions to each type of event. Events that start customers' workflows wait while their org is beyond
 * its write quota: their runs would store more.
 */
export function createReactions(
  quota: Pick<WriteQuota, 'assertLeft'>,
  { DEVELOPMENT, PUBLIC_URL, signingSecrets }: Pick<Config, 'DEVELOPMENT' | 'PUBLIC_URL' | 'signingSecrets'>,
  { webhookSenders }: Pick<AnnouncingDeps, 'webhookSenders'>,
): Reactions {
  const startWorkflows = {
    async read(reading: Trx, orgId: string, events: TriggeringEvent[], { isAhead }: ReadingMoment) {
      const { type } = elementAt(events, 0);
      const start = async (trx: Trx) => {
        quota.assertLeft(orgId);
        await startTriggeredRuns(trx, orgId, events);
      };
      if (!isAhead) return (await isTriggerTypeUsed(reading, orgId, type)) ? start : undefined;
      // Runs that earlier events of the batch start may wait for these.
      return async (trx: Trx) => {
        if (await isTriggerTypeUsed(trx, orgId, type)) await start(trx);
      };
    },
  };

  const startCalled: Reaction<'workflow-called'> = async (trx, orgId, events) => {
    quota.assertLeft(orgId);
    await startCalledRuns(trx, orgId, events);
  };

  const applyTags = createAutoTagging();

  const announcing = {
    publicUrl: PUBLIC_URL,
    mediaLinks: createMediaLinks(signingSecrets, PUBLIC_URL),
    webhookSenders,
  };

  return withWebhooks(announcing, {
    'contact-created': [enrollCreatedContacts, startWorkflows],
    'contact-updated': [enrollChangedContacts, assignPoliciesByContact],
    'contact-deleted': [
      cancelSendsOfDeletedContacts,
      redactContactWebhooks,
      assignPoliciesWithoutContact,
      revokeOnContactDeletion,
    ],
    'contact-replied': [exitRepliedContacts],
    'sending-settings-changed': [reevaluateDeferrals],
    'staffing-changed': [assignIfWaiting],
    'crm-events-received': [wakeQueues],
    'ticket-reassigned': [assignPolicies, assignIfRelieved, closeOpenCalls, interruptTurns, startWorkflows],
    'ticket-created': [assignPolicies, startWorkflows],
    'ticket-resolved': [
      applyTags,
      requestModelSuggestions,
      summarizeResolutions,
      scheduleTicketCloses,
      closeCallsOfResolved,
      interruptTurns,
      requestExtraction,
      startWorkflows,
    ],
    'ticket-reopened': [assignPolicies, scheduleTicketReopenings],
    'ticket-handoff': [startHandoffs, summarizeHandoffs, requestExtraction, startWorkflows],
    'integration-changed': [
      confirmPortalOnSettingsChange,
      embedOnChange,
      wakeExtractions,
      resumeCrm(IS_HELD),
      resumeMiaw,
    ],
    'handoff-target-changed': [resumePendingHandoffs(IS_HELD)],
    'integration-deleted': [embedOnChange, wakeExtractions],
    'session-redacted': [
      redactCrmCopies,
      redactRuns,
      redactTurns,
      redactSessionCalls,
      redactEvals,
      redactLearnedDrafts,
      redactInsights,
      redactWebhooks,
      revokeOnRedaction,
      deleteConfirmationsOfSession,
    ],
    'ticket-texts-redacted': [redactBatchBodies],
    'message-relayed': [relayToThreads, relayToMiaw],
    'ticket-tag-added': [assignPolicies, startWorkflows],
    'sla-policy-changed': [wakeClocksOfChangedPolicies],
    'sla-assignments-changed': [assignPoliciesToOpenSessions],
    'pre-ticket-handoff': [applyTags, requestModelSuggestions, closeOpenCalls, interruptTurns, holdHandoffs],
    'message-created': [requestTurns, reviewNewCitations],
    'message-changed': [tellChangesOfCopies, redactInsights],
    'ai-draft-created': [reviewNewCitations, postDrafts],
    'autopilot-turned-on': [calibrateOnStart],
    'knowledge-changed': [reviewCitations, calibrateOnChange],
    'prohibited-topic-detected': [startWorkflows],
    'workflow-called': [startCalled],
    'ticket-inactive': [startWorkflows],
    'sequence-completed': [startWorkflows],
    'csat-requested': [scheduleSurveys],
    'csat-score-submit': [startWorkflows],
    'phone-call-started': [startWorkflows],
    'phone-call-finished': [startWorkflows],
    'voice-call-transferred': [startWorkflows],
    'pre-voice-call-transfer': [startWorkflows],
    'sla-first-reply-warning': [startWorkflows],
    'sla-next-reply-warning': [startWorkflows],
    'sla-resolution-warning': [startWorkflows],
    'sla-first-reply-breached': [startWorkflows],
    'sla-next-reply-breached': [startWorkflows],
    'sla-resolution-breached': [startWorkflows],
    'webhook-disabled': [createDisabledNotice({ isDevelopment: DEVELOPMENT })],
    'workflow-changed': [syncTriggers],
    'insight-categories-changed': [dropGoneCategories],
    'insight-redacted': [redactInsightWebhooks],
    'sla-session-changed': [assignPoliciesByChange],
    'session-activity': [wakeClocksOfActiveSessions],
    'office-hours-changed': [announceChangesOfOfficeHours],
  });
}

/** Adds what turns events into webhooks, after all other reactions: receivers are to see what came of an event. */
function withWebhooks(deps: AnnouncingDeps, reactions: Reactions): Reactions {
  const webhooks = createWebhookReactions(deps);
  const types = new Set([...Object.keys(reactions), ...Object.keys(webhooks)]) as Set<EventType>;
  return Object.fromEntries([...types].map((type) => [type, [...(reactions[type] ?? []), ...(webhooks[type] ?? [])]]));
}
