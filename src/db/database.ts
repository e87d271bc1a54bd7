import type { AutopilotTable } from '../agents/autopilot.table.ts';
import type { PhoneAgentsTable } from '../agents/phone-agents.table.ts';
import type { BlockedContactsTable, BlockedDomainsTable, ContactsTable, SegmentsTable } from '../contacts/table.ts';
import type { SessionEventsTable } from '../conversations/events.table.ts';
import type { RedactionsTable } from '../conversations/redaction.table.ts';
import type { SessionsTable, SessionTagsTable, TicketCountersTable } from '../conversations/sessions.table.ts';
import type { SendingDomainsTable } from '../deliveries/domains.table.ts';
import type { InboundEmailsTable } from '../deliveries/inbound-emails.table.ts';
import type {
  DeliveriesTable,
  DeliveryCallbacksTable,
  EmailRequestsTable,
  InboundMessagesTable,
  SandboxOutboxTable,
  SenderRatesTable,
  SuppressionsTable,
} from '../deliveries/table.ts';
import type { CsatScoresTable } from '../desk/csat.table.ts';
import type { SessionSlasTable, SlaClocksTable, SlaPoliciesTable } from '../desk/sla.table.ts';
import type { OfficeHoursTable, TagSettingsTable, TagsTable, TeamMembersTable, TeamsTable } from '../desk/table.ts';
import type { IdempotencyKeysTable } from '../http/table.ts';
import type { OrgApiKeysTable, PartnerApiKeysTable } from '../keys/table.ts';
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
  autopilot: AutopilotTable;
  blocked_contacts: BlockedContactsTable;
  blocked_domains: BlockedDomainsTable;
  contacts: ContactsTable;
  csat_scores: CsatScoresTable;
  dashboard_sessions: DashboardSessionsTable;
  deliveries: DeliveriesTable;
  delivery_callbacks: DeliveryCallbacksTable;
  email_requests: EmailRequestsTable;
  enrollments: EnrollmentsTable;
  idempotency_keys: IdempotencyKeysTable;
  inbound_emails: InboundEmailsTable;
  inbound_messages: InboundMessagesTable;
  integrations: IntegrationsTable;
  login_links: LoginLinksTable;
  media: MediaTable;
  member_roles: MemberRolesTable;
  members: MembersTable;
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
  users: UsersTable;
  widget_messages: WidgetMessagesTable;
  widget_sessions: WidgetSessionsTable;
  widget_visitors: WidgetVisitorsTable;
  widget_votes: WidgetVotesTable;
}
