import { ANSWER_SESSION } from '../ai/turns/contract.ts';
import { listOpenTurns, mendTurn, workflowIdOfTurn } from '../ai/turns/repair.service.ts';
import { HOLD_HANDOFF } from '../automations/handoff-hold/contract.ts';
import { IS_HELD, listHeldHandoffs } from '../automations/handoff-hold/service.ts';
import { RUN_BATCH } from '../automations/runs/batches/contract.ts';
import { CHANGE_RUNS } from '../automations/runs/bulk/contract.ts';
import { listRunningRunJobs, runRunJob } from '../automations/runs/bulk/service.ts';
import { RUN_AUTOMATION } from '../automations/runs/contract.ts';
import { wakeHandoffHold } from '../automations/runs/finish-run.service.ts';
import { findableWorkflowOf, listRunsInProgress, mendRun } from '../automations/runs/repair.service.ts';
import { START_SCHEDULED_RUN, SYNC_SCHEDULE, WATCH_INACTIVITY } from '../automations/triggers/contract.ts';
import {
  listOrgsWatchingInactivity,
  listScheduledWorkflows,
  scheduleOfWorkflow,
  syncWorkflowSchedule,
  watchInactivity,
} from '../automations/triggers/schedules.service.ts';
import { IMPORT_CONTACTS } from '../contacts/imports/contract.ts';
import { listRunningImports, runImport } from '../contacts/imports/service.ts';
import { ASSIGN_WAITING_SESSIONS } from '../conversations/assignment/contract.ts';
import { assignWaiting } from '../conversations/assignment/service.ts';
import { RUN_SESSION_JOB } from '../conversations/bulk/contract.ts';
import { listRunningJobs, runJob } from '../conversations/bulk/service.ts';
import { WAKE_SNOOZED_SESSION } from '../conversations/snooze/contract.ts';
import { wakeSnooze } from '../conversations/snooze/ending.service.ts';
import { listSnoozedSessions } from '../conversations/snooze/queries.ts';
import { CRAWL, DELETE_DATASOURCE, START_SCHEDULED_CRAWL, SYNC_CRAWL_SCHEDULE } from '../crawl/contract.ts';
import {
  continueDatasourceDeletion,
  listDeletedDatasources,
  listScheduledDatasources,
  scheduleOfDatasource,
  syncCrawlSchedule,
} from '../crawl/datasources/repair.service.ts';
import { listActiveCrawls, mendCrawl, workflowIdOfCrawl } from '../crawl/jobs/repair.service.ts';
import { confirmAgain, listUnconfirmedAccounts } from '../crm/connection/accounts.service.ts';
import {
  CLOSE_TICKET_LATER,
  CONFIRM_CRM_ACCOUNT,
  HAND_OFF_SESSION,
  REOPEN_TICKET_LATER,
  SYNC_CRM_THREAD,
  SYNC_CRM_TICKET,
  SYNC_MIAW,
} from '../crm/contract.ts';
import { listDueCloses, wakeTicketClose } from '../crm/handoffs/ticket-closing.service.ts';
import { listDueReopenings, wakeTicketReopening } from '../crm/handoffs/ticket-reopening.service.ts';
import { listUnfinishedHandoffs, mendHandoff, workflowIdOfHandoff } from '../crm/handoffs/workflow-repair.service.ts';
import {
  listAllThreadsWithUnsent,
  listAllTicketsWithUnsent,
  listConversationsWithUnsent,
  wakeThread,
  wakeTicket,
} from '../crm/outgoing/workflow-repair.service.ts';
import { wakeMiaw } from '../crm/salesforce/sync.service.ts';
import { SEND_CSAT_SURVEY } from '../csat/survey/contract.ts';
import { listPendingSurveys } from '../csat/survey/queries.ts';
import { wakeSurvey } from '../csat/survey/requests.service.ts';
import { SETTLE_DELIVERIES } from '../deliveries/bulk/contract.ts';
import { listRunningDeliveryJobs, runDeliveryJob } from '../deliveries/bulk/service.ts';
import {
  RECEIVE_INBOUND_EMAIL,
  RECEIVE_INBOUND_FILES,
  RECONCILE_SENDS,
  SEND_EMAILS,
  SEND_MESSAGE,
} from '../deliveries/contract.ts';
import {
  listMessagesWithFiles,
  listUnprocessedEmails,
  wakeInboundEmail,
  wakeInboundFiles,
} from '../deliveries/inbound/workflow-repair.service.ts';
import { listOrgsWithUnknownSends, wakeReconciliation } from '../deliveries/sending/reconciliation.service.ts';
import {
  listUnsettledRequests,
  mendRequest,
  workflowIdOfRequest,
} from '../deliveries/sending/workflow-repair.service.ts';
import { DELETE_TEAM } from '../desk/teams/contract.ts';
import { continueTeamDeletion, listDeletedTeams } from '../desk/teams/repair.service.ts';
import { RUN_EVALS } from '../evals/contract.ts';
import { listRunsInProgress as listEvalRuns, mendEvalRun, workflowIdOfEvalRun } from '../evals/repair.service.ts';
import { EXPORT_RECORDS } from '../exports/contract.ts';
import { listRunningExports, runExport } from '../exports/service.ts';
import { IMPORT_RECORDS } from '../imports/contract.ts';
import { listRunningImports as listRunningRecordImports, runImport as runRecordImport } from '../imports/service.ts';
import { EXTRACT_INSIGHTS } from '../insights/extraction/contract.ts';
import { wakeExtraction } from '../insights/extraction/requests.service.ts';
import { EMBED_KNOWLEDGE } from '../knowledge/embedding/contract.ts';
import { embedKnowledge } from '../knowledge/embedding/service.ts';
import { DELETE_MEMBER } from '../orgs/members/contract.ts';
import { continueMemberDeletion, listDeletedMembers } from '../orgs/members/repair.service.ts';
import { listDueWork } from '../outbox/due-work.ts';
import { RUN_SEQUENCE } from '../sequences/contract.ts';
import {
  listActiveSequences,
  mendSequence,
  workflowIdOfSequence,
} from '../sequences/definitions/workflow-repair.service.ts';
import { FORECAST_SEQUENCE } from '../sequences/forecast/contract.ts';
import { listForecastsInProgress, mendForecast, workflowIdOfForecast } from '../sequences/forecast/jobs.service.ts';
import { listUnevaluatedSlas, wakeSla } from '../sla/clocks/waking.service.ts';
import { WATCH_SLA } from '../sla/contract.ts';
import { type ComparedSubject, compared } from './comparison.ts';
import { resumed, scheduled } from './subject.ts';

/** All kinds of rows with workflows. */
export const SUBJECTS: ComparedSubject[] = [
  compared({
    kind: 'workflow-run',
    starts: [RUN_AUTOMATION.type, RUN_BATCH.type],
    list: listRunsInProgress,
    workflowIdOf: findableWorkflowOf,
    idOf: ({ runId }) => runId,
    mend: mendRun,
  }),
  compared({
    kind: 'sequence',
    starts: [RUN_SEQUENCE.type],
    list: listActiveSequences,
    workflowIdOf: workflowIdOfSequence,
    idOf: ({ sequenceId }) => sequenceId,
    mend: mendSequence,
  }),
  compared({
    kind: 'crawl',
    starts: [CRAWL.type],
    list: listActiveCrawls,
    workflowIdOf: workflowIdOfCrawl,
    idOf: ({ jobId }) => jobId,
    mend: mendCrawl,
  }),
  compared({
    kind: 'forecast',
    starts: [FORECAST_SEQUENCE.type],
    list: listForecastsInProgress,
    workflowIdOf: workflowIdOfForecast,
    idOf: ({ forecastId }) => forecastId,
    mend: mendForecast,
  }),
  compared({
    kind: 'message-request',
    starts: [SEND_MESSAGE.type, SEND_EMAILS.type],
    list: listUnsettledRequests,
    workflowIdOf: workflowIdOfRequest,
    idOf: ({ id }) => id,
    mend: mendRequest,
  }),
  compared({
    kind: 'handoff',
    starts: [HAND_OFF_SESSION.type],
    list: (db, after, limit) => listUnfinishedHandoffs(db, after, limit, IS_HELD),
    workflowIdOf: workflowIdOfHandoff,
    idOf: ({ sessionId }) => sessionId,
    mend: (db, run, state) => mendHandoff(db, run, state, IS_HELD),
  }),
  compared(
    resumed({
      kind: 'inbound-email',
      starts: [RECEIVE_INBOUND_EMAIL.type],
      list: listUnprocessedEmails,
      wake: wakeInboundEmail,
      idOf: ({ inboundEmailId }) => inboundEmailId,
    }),
  ),
  compared(
    resumed({
      kind: 'inbound-files',
      starts: [RECEIVE_INBOUND_FILES.type],
      list: listMessagesWithFiles,
      wake: wakeInboundFiles,
      idOf: ({ inboundMessageId }) => inboundMessageId,
    }),
  ),
  compared(
    resumed({
      kind: 'handoff-hold',
      starts: [HOLD_HANDOFF.type],
      list: listHeldHandoffs,
      wake: wakeHandoffHold,
      idOf: ({ sessionId }) => sessionId,
    }),
  ),
  compared(
    resumed({
      kind: 'ticket-close',
      starts: [CLOSE_TICKET_LATER.type],
      list: listDueCloses,
      wake: wakeTicketClose,
      idOf: ({ sessionId }) => sessionId,
    }),
  ),
  compared(
    resumed({
      kind: 'ticket-reopen',
      starts: [REOPEN_TICKET_LATER.type],
      list: listDueReopenings,
      wake: wakeTicketReopening,
      idOf: ({ sessionId }) => sessionId,
    }),
  ),
  compared(
    resumed({
      kind: 'crm-thread',
      starts: [SYNC_CRM_THREAD.type],
      list: listAllThreadsWithUnsent,
      wake: wakeThread,
      idOf: ({ threadId }) => threadId,
    }),
  ),
  compared(
    resumed({
      kind: 'crm-account',
      starts: [CONFIRM_CRM_ACCOUNT.type],
      list: listUnconfirmedAccounts,
      wake: confirmAgain,
      idOf: ({ orgId }) => orgId,
    }),
  ),
  compared(
    resumed({
      kind: 'assignment',
      starts: [ASSIGN_WAITING_SESSIONS.type],
      list: listDueWork('assignment'),
      wake: ({ orgId }) => assignWaiting(orgId),
      idOf: ({ orgId }) => orgId,
    }),
  ),
  compared(
    resumed({
      kind: 'embedding',
      starts: [EMBED_KNOWLEDGE.type],
      list: listDueWork('embedding'),
      wake: ({ orgId }) => embedKnowledge(orgId),
      idOf: ({ orgId }) => orgId,
    }),
  ),
  compared(
    resumed({
      kind: 'insight-extraction',
      starts: [EXTRACT_INSIGHTS.type],
      list: listDueWork('insight-extraction'),
      wake: ({ orgId, subjectId, number }) => wakeExtraction({ orgId, sessionId: subjectId, number }),
      idOf: ({ subjectId }) => subjectId,
    }),
  ),
  compared(
    resumed({
      kind: 'crm-ticket',
      starts: [SYNC_CRM_TICKET.type],
      list: listAllTicketsWithUnsent,
      wake: wakeTicket,
      idOf: ({ ticketId }) => ticketId,
    }),
  ),
  compared(
    resumed({
      kind: 'miaw-sync',
      starts: [SYNC_MIAW.type],
      list: listConversationsWithUnsent,
      wake: ({ orgId, sessionId }) => wakeMiaw(orgId, sessionId),
      idOf: ({ sessionId }) => sessionId,
    }),
  ),
  compared({
    kind: 'ai-turn',
    starts: [ANSWER_SESSION.type],
    list: listOpenTurns,
    workflowIdOf: workflowIdOfTurn,
    idOf: ({ turnId }) => turnId,
    mend: mendTurn,
  }),
  compared({
    kind: 'eval-run',
    starts: [RUN_EVALS.type],
    list: listEvalRuns,
    workflowIdOf: workflowIdOfEvalRun,
    idOf: ({ runId }) => runId,
    mend: mendEvalRun,
  }),
  compared(
    resumed({
      kind: 'sla',
      starts: [WATCH_SLA.type],
      list: listUnevaluatedSlas,
      wake: wakeSla,
      idOf: ({ sessionId }) => sessionId,
    }),
  ),
  compared(
    resumed({
      kind: 'snooze',
      starts: [WAKE_SNOOZED_SESSION.type],
      list: listSnoozedSessions,
      wake: wakeSnooze,
      idOf: ({ sessionId }) => sessionId,
    }),
  ),
  compared(
    resumed({
      kind: 'csat-survey',
      starts: [SEND_CSAT_SURVEY.type],
      list: listPendingSurveys,
      wake: wakeSurvey,
      idOf: ({ surveyId }) => surveyId,
    }),
  ),
  compared(
    resumed({
      kind: 'session-job',
      starts: [RUN_SESSION_JOB.type],
      list: listRunningJobs,
      wake: runJob,
      idOf: ({ jobId }) => jobId,
    }),
  ),
  compared(
    resumed({
      kind: 'delivery-job',
      starts: [SETTLE_DELIVERIES.type],
      list: listRunningDeliveryJobs,
      wake: runDeliveryJob,
      idOf: ({ jobId }) => jobId,
    }),
  ),
  compared(
    resumed({
      kind: 'run-job',
      starts: [CHANGE_RUNS.type],
      list: listRunningRunJobs,
      wake: runRunJob,
      idOf: ({ jobId }) => jobId,
    }),
  ),
  compared(
    resumed({
      kind: 'contact-import',
      starts: [IMPORT_CONTACTS.type],
      list: listRunningImports,
      wake: runImport,
      idOf: ({ importId }) => importId,
    }),
  ),
  compared(
    resumed({
      kind: 'export',
      starts: [EXPORT_RECORDS.type],
      list: listRunningExports,
      wake: runExport,
      idOf: ({ exportId }) => exportId,
    }),
  ),
  compared(
    resumed({
      kind: 'import',
      starts: [IMPORT_RECORDS.type],
      list: listRunningRecordImports,
      wake: runRecordImport,
      idOf: ({ importId }) => importId,
    }),
  ),
  compared(
    resumed({
      kind: 'inactivity',
      starts: [WATCH_INACTIVITY.type],
      list: listOrgsWatchingInactivity,
      wake: watchInactivity,
      idOf: ({ orgId }) => orgId,
    }),
  ),
  compared(
    resumed({
      kind: 'reconciliation',
      starts: [RECONCILE_SENDS.type],
      list: listOrgsWithUnknownSends,
      wake: wakeReconciliation,
      idOf: ({ orgId }) => orgId,
    }),
  ),
  compared(
    resumed({
      kind: 'datasource-deletion',
      starts: [DELETE_DATASOURCE.type],
      list: listDeletedDatasources,
      wake: continueDatasourceDeletion,
      idOf: ({ datasourceId }) => datasourceId,
    }),
  ),
  compared(
    resumed({
      kind: 'member-deletion',
      starts: [DELETE_MEMBER.type],
      list: listDeletedMembers,
      wake: continueMemberDeletion,
      idOf: ({ userId }) => String(userId),
    }),
  ),
  compared(
    resumed({
      kind: 'team-deletion',
      starts: [DELETE_TEAM.type],
      list: listDeletedTeams,
      wake: continueTeamDeletion,
      idOf: ({ teamId }) => teamId,
    }),
  ),
  compared(
    scheduled({
      kind: 'workflow-schedule',
      starts: [SYNC_SCHEDULE.type, START_SCHEDULED_RUN.type],
      list: listScheduledWorkflows,
      wake: syncWorkflowSchedule,
      scheduleOf: scheduleOfWorkflow,
      idOf: ({ automationId }) => automationId,
    }),
  ),
  compared(
    scheduled({
      kind: 'crawl-schedule',
      starts: [SYNC_CRAWL_SCHEDULE.type, START_SCHEDULED_CRAWL.type],
      list: listScheduledDatasources,
      wake: syncCrawlSchedule,
      scheduleOf: scheduleOfDatasource,
      idOf: ({ datasourceId }) => datasourceId,
    }),
  ),
];
