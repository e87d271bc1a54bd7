import type { PhoneAgentsTable } from '../agents/phone-agents.table.ts';
import type { BlockedContactsTable, BlockedDomainsTable, ContactsTable, SegmentsTable } from '../contacts/table.ts';
import type { SessionEventsTable } from '../conversations/events.table.ts';
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

export interface Database {
  blocked_contacts: BlockedContactsTable;
  blocked_domains: BlockedDomainsTable;
  contacts: ContactsTable;
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
  roles: RolesTable;
  sandbox_outbox: SandboxOutboxTable;
  segments: SegmentsTable;
  sender_rates: SenderRatesTable;
  sending_domains: SendingDomainsTable;
  sequence_runs: SequenceRunsTable;
  sequence_steps: SequenceStepsTable;
  sequences: SequencesTable;
  session_events: SessionEventsTable;
  session_tags: SessionTagsTable;
  sessions: SessionsTable;
  suppressions: SuppressionsTable;
  tag_settings: TagSettingsTable;
  tags: TagsTable;
  team_members: TeamMembersTable;
  teams: TeamsTable;
  ticket_counters: TicketCountersTable;
  users: UsersTable;
}
