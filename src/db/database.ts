import type { BlockedContactsTable, BlockedDomainsTable, ContactsTable, SegmentsTable } from '../contacts/table.ts';
import type { DeliveriesTable, EmailRequestsTable, SuppressionsTable } from '../deliveries/table.ts';
import type { IdempotencyKeysTable } from '../http/table.ts';
import type { OrgApiKeysTable, PartnerApiKeysTable } from '../keys/table.ts';
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
  email_requests: EmailRequestsTable;
  enrollments: EnrollmentsTable;
  idempotency_keys: IdempotencyKeysTable;
  integrations: IntegrationsTable;
  login_links: LoginLinksTable;
  member_roles: MemberRolesTable;
  members: MembersTable;
  org_api_keys: OrgApiKeysTable;
  orgs: OrgsTable;
  outbox: OutboxTable;
  partner_api_keys: PartnerApiKeysTable;
  partners: PartnersTable;
  roles: RolesTable;
  segments: SegmentsTable;
  sequence_runs: SequenceRunsTable;
  sequence_steps: SequenceStepsTable;
  sequences: SequencesTable;
  suppressions: SuppressionsTable;
  users: UsersTable;
}
