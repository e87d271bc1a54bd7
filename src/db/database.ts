import type { ActionCallsTable, ActionsTable, MessageOverridesTable } from '../agents/actions/table.ts';
import type { AutopilotTable } from '../agents/autopilot/table.ts';
import type { PhoneAgentsTable } from '../agents/phone-agents/table.ts';
import type {
  AutomationGatesTable,
  AutomationHeardTable,
  AutomationListenersTable,
  AutomationRetriesTable,
  AutomationRunsTable,
  AutomationSilencesTable,
  AutomationStepsTable,
  AutomationsTable,
  AutomationVersionsTable,
} from '../automations/table.ts';
import type { BlockedContactsTable, BlockedDomainsTable, ContactsTable, SegmentsTable } from '../contacts/table.ts';
import type { SessionEventsTable } from '../conversations/history/events.table.ts';
import type { RedactionsTable } from '../conversations/redaction/table.ts';
import type { SessionsTable, SessionTagsTable, TicketCountersTable } from '../conversations/sessions/table.ts';
import type {
  CrmBatchesTable,
  CrmBudgetsTable,
  CrmEventsTable,
  CrmHandoffPartsTable,
  CrmLinksTable,
  CrmMessagesTable,
  CrmTokensTable,
  MiawConversationsTable,
} from '../crm/table.ts';
import type { SendingDomainsTable } from '../deliveries/email-domains/table.ts';
import type { InboundEmailsTable } from '../deliveries/inbound/emails.table.ts';
import type {
  DeliveriesTable,
  DeliveryCallbacksTable,
  EmailRequestsTable,
  InboundMessagesTable,
  SandboxOutboxTable,
  SenderRatesTable,
  SuppressionsTable,
} from '../deliveries/table.ts';
import type { CsatScoresTable } from '../desk/csat/table.ts';
import type { SessionSlasTable, SlaClocksTable, SlaPoliciesTable } from '../desk/sla/table.ts';
import type { OfficeHoursTable, TagSettingsTable, TagsTable, TeamMembersTable, TeamsTable } from '../desk/table.ts';
import type { IdempotencyKeysTable } from '../http/table.ts';
import type { OrgApiKeysTable, PartnerApiKeysTable } from '../keys/table.ts';
import type {
  CrawlChangesTable,
  CrawlHostsTable,
  CrawlJobsTable,
  CrawlPagesTable,
  CrawlRobotsTable,
  DatasourcesTable,
} from '../knowledge/crawl/table.ts';
import type {
  HelpCenterArticlesTable,
  HelpCenterCategoriesTable,
  HelpCenterOperationsTable,
  HelpCentersTable,
} from '../knowledge/help-center/table.ts';
import type {
  KnowledgeChunksTable,
  KnowledgeEmbeddingsTable,
  KnowledgeItemsTable,
  KnowledgePostingsTable,
  KnowledgeWordsTable,
  TrainingDirectoriesTable,
  TrainingItemsTable,
} from '../knowledge/table.ts';
import type { MediaTable } from '../media/table.ts';
import type {
  IntegrationsTable,
  MemberRolesTable,
  MembersTable,
  OrgsTable,
  RolesTable,
  UsersTable,
} from '../orgs/table.ts';
import type { OutboxTable } from '../outbox/table.ts';
import type { DashboardSessionsTable, LoginLinksTable, PartnersTable } from '../partners/table.ts';
import type { EnrollmentsTable, SequenceRunsTable, SequenceStepsTable, SequencesTable } from '../sequences/table.ts';
import type {
  WidgetMessagesTable,
  WidgetSessionsTable,
  WidgetVisitorsTable,
  WidgetVotesTable,
} from '../widget/table.ts';

export interface Database {
  action_calls: ActionCallsTable;
  actions: ActionsTable;
  autopilot: AutopilotTable;
  automation_gates: AutomationGatesTable;
  automation_heard: AutomationHeardTable;
  automation_listeners: AutomationListenersTable;
  automation_retries: AutomationRetriesTable;
  automation_runs: AutomationRunsTable;
  automation_silences: AutomationSilencesTable;
  automation_steps: AutomationStepsTable;
  automation_versions: AutomationVersionsTable;
  automations: AutomationsTable;
  blocked_contacts: BlockedContactsTable;
  blocked_domains: BlockedDomainsTable;
  contacts: ContactsTable;
  crawl_changes: CrawlChangesTable;
  crawl_hosts: CrawlHostsTable;
  crawl_jobs: CrawlJobsTable;
  crawl_pages: CrawlPagesTable;
  crawl_robots: CrawlRobotsTable;
  crm_batches: CrmBatchesTable;
  crm_budgets: CrmBudgetsTable;
  crm_events: CrmEventsTable;
  crm_handoff_parts: CrmHandoffPartsTable;
  crm_links: CrmLinksTable;
  crm_messages: CrmMessagesTable;
  crm_tokens: CrmTokensTable;
  csat_scores: CsatScoresTable;
  dashboard_sessions: DashboardSessionsTable;
  datasources: DatasourcesTable;
  deliveries: DeliveriesTable;
  delivery_callbacks: DeliveryCallbacksTable;
  email_requests: EmailRequestsTable;
  enrollments: EnrollmentsTable;
  help_center_articles: HelpCenterArticlesTable;
  help_center_categories: HelpCenterCategoriesTable;
  help_center_operations: HelpCenterOperationsTable;
  help_centers: HelpCentersTable;
  idempotency_keys: IdempotencyKeysTable;
  inbound_emails: InboundEmailsTable;
  inbound_messages: InboundMessagesTable;
  integrations: IntegrationsTable;
  knowledge_chunks: KnowledgeChunksTable;
  knowledge_embeddings: KnowledgeEmbeddingsTable;
  knowledge_items: KnowledgeItemsTable;
  knowledge_postings: KnowledgePostingsTable;
  knowledge_words: KnowledgeWordsTable;
  login_links: LoginLinksTable;
  media: MediaTable;
  member_roles: MemberRolesTable;
  members: MembersTable;
  message_overrides: MessageOverridesTable;
  miaw_conversations: MiawConversationsTable;
  office_hours: OfficeHoursTable;
  org_api_keys: OrgApiKeysTable;
  orgs: OrgsTable;
  outbox: OutboxTable;
  partner_api_keys: PartnerApiKeysTable;
  partners: PartnersTable;
  phone_agents: PhoneAgentsTable;
  redactions: RedactionsTable;
  roles: RolesTable;
  sandbox_outbox: SandboxOutboxTable;
  segments: SegmentsTable;
  sender_rates: SenderRatesTable;
  sending_domains: SendingDomainsTable;
  sequence_runs: SequenceRunsTable;
  sequence_steps: SequenceStepsTable;
  sequences: SequencesTable;
  session_events: SessionEventsTable;
  session_slas: SessionSlasTable;
  session_tags: SessionTagsTable;
  sessions: SessionsTable;
  sla_clocks: SlaClocksTable;
  sla_policies: SlaPoliciesTable;
  suppressions: SuppressionsTable;
  tag_settings: TagSettingsTable;
  tags: TagsTable;
  team_members: TeamMembersTable;
  teams: TeamsTable;
  ticket_counters: TicketCountersTable;
  training_directories: TrainingDirectoriesTable;
  training_items: TrainingItemsTable;
  users: UsersTable;
  widget_messages: WidgetMessagesTable;
  widget_sessions: WidgetSessionsTable;
  widget_visitors: WidgetVisitorsTable;
  widget_votes: WidgetVotesTable;
}
