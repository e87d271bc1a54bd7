import type { ConnectionSettings } from '../../orgs/integrations/schema.ts';
import type { Hubspot } from '../../providers/crm/hubspot/port.ts';
import type { Salesforce } from '../../providers/crm/salesforce/port.ts';

export type HubspotSettings = ConnectionSettings<'crm'>;

/** The CRM clients of orgs. */
export interface CrmClients {
  /** Undefined if the org has not connected it. */
  hubspot(orgId: string): Promise<{ client: Hubspot; settings: HubspotSettings } | undefined>;
  salesforce(orgId: string): Promise<Salesforce | undefined>;
}
