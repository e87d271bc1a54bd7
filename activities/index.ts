import { type AiTurnActivityDeps, createAiTurnActivities } from './ai/ai-turns.ts';
import { type CalibrationActivityDeps, createCalibrationActivities } from './ai/calibration.ts';
import { createEvalActivities, type EvalActivityDeps } from './ai/evals.ts';
import { createSummaryActivities, type SummaryActivityDeps } from './ai/summaries.ts';
import { type AssignmentActivityDeps, createAssignmentActivities } from './assignment.ts';
import { type AutomationActivityDeps, createAutomationActivities } from './automations.ts';
import { type CrawlActivityDeps, createCrawlActivities } from './crawl.ts';
import { type CrmActivityDeps, createCrmActivities } from './crm.ts';
import { type CsatActivityDeps, createCsatActivities } from './csat.ts';
import { createDeletionActivities, type DeletionActivityDeps } from './deletions.ts';
import { createInboundMessageActivities, type InboundMessageActivityDeps } from './inbound-messages.ts';
import { createInsightActivities, type InsightActivityDeps } from './insights.ts';
import { type ContactImportActivityDeps, createContactImportActivities } from './jobs/contact-imports.ts';
import { createDeliveryJobActivities, type DeliveryJobActivityDeps } from './jobs/delivery-jobs.ts';
import { createExportActivities, type ExportActivityDeps } from './jobs/exports.ts';
import { createImportActivities, type ImportActivityDeps } from './jobs/imports.ts';
import { createRunJobActivities, type RunJobActivityDeps } from './jobs/run-jobs.ts';
import { createSessionJobActivities, type SessionJobActivityDeps } from './jobs/session-jobs.ts';
import { createKnowledgeActivities, type KnowledgeActivityDeps } from './knowledge.ts';
import { createMcpActivities, type McpActivityDeps } from './mcp.ts';
import { createMessageRequestActivities, type MessageRequestActivityDeps } from './message-requests.ts';
import { createMiawActivities, type MiawActivityDeps } from './miaw.ts';
import { createReconciliationActivities, type ReconciliationActivityDeps } from './reconciliation.ts';
import { createSequenceActivities, type SequenceActivityDeps } from './sequences.ts';
import { createSignInActivities, type SignInActivityDeps } from './sign-in.ts';
import { createSlaActivities, type SlaActivityDeps } from './sla.ts';
import { createSnoozeActivities, type SnoozeActivityDeps } from './snooze.ts';
import { createTaggingActivities, type TaggingActivityDeps } from './tagging.ts';
import { createTriggerActivities, type TriggerActivityDeps } from './triggers.ts';
import { createWebhookActivities, type WebhookActivityDeps } from './webhooks.ts';

export type ActivityDeps = AiTurnActivityDeps &
  AssignmentActivityDeps &
  AutomationActivityDeps &
  CalibrationActivityDeps &
  ContactImportActivityDeps &
  CrawlActivityDeps &
  CrmActivityDeps &
  CsatActivityDeps &
  DeletionActivityDeps &
  DeliveryJobActivityDeps &
  EvalActivityDeps &
  ExportActivityDeps &
  ImportActivityDeps &
  InsightActivityDeps &
  KnowledgeActivityDeps &
  McpActivityDeps &
  MiawActivityDeps &
  SequenceActivityDeps &
  MessageRequestActivityDeps &
  ReconciliationActivityDeps &
  InboundMessageActivityDeps &
  RunJobActivityDeps &
  SessionJobActivityDeps &
  SignInActivityDeps &
  SlaActivityDeps &
  SnoozeActivityDeps &
  SummaryActivityDeps &
  TaggingActivityDeps &
  TriggerActivityDeps &
  WebhookActivityDeps;

/** Creates all activities with their dependencies. */
export const createActivities = (deps: ActivityDeps) => ({
  ...createAiTurnActivities(deps),
  ...createAssignmentActivities(deps),
  ...createAutomationActivities(deps),
  ...createCalibrationActivities(deps),
  ...createContactImportActivities(deps),
  ...createCrawlActivities(deps),
  ...createCrmActivities(deps),
  ...createCsatActivities(deps),
  ...createDeletionActivities(deps),
  ...createDeliveryJobActivities(deps),
  ...createEvalActivities(deps),
  ...createExportActivities(deps),
  ...createImportActivities(deps),
  ...createInsightActivities(deps),
  ...createKnowledgeActivities(deps),
  ...createMcpActivities(deps),
  ...createMiawActivities(deps),
  ...createSequenceActivities(deps),
  ...createRunJobActivities(deps),
  ...createSessionJobActivities(deps),
  ...createSignInActivities(deps),
  ...createSlaActivities(deps),
  ...createSnoozeActivities(deps),
  ...createSummaryActivities(deps),
  ...createTaggingActivities(deps),
  ...createTriggerActivities(deps),
  ...createMessageRequestActivities(deps),
  ...createReconciliationActivities(deps),
  ...createInboundMessageActivities(deps),
  ...createWebhookActivities(deps),
});
