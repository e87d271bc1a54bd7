import type { AutomationActivityDeps } from '../activities/automations.ts';
import type { CrmActivityDeps } from '../activities/crm.ts';
import type { Config } from '../src/config.ts';
import type { CrmClients } from '../src/crm/clients.ts';
import { createHubspots } from '../src/crm/hubspots.ts';
import { createConversationStore } from '../src/crm/miaw-store.service.ts';
import { createTicket } from '../src/crm/ticket-creation.service.ts';
import type { Db } from '../src/db/connect.ts';
import { createMediaLinks } from '../src/media/links.ts';
import { findConnection } from '../src/orgs/integrations.service.ts';
import { createSalesforce } from '../src/providers/crm/salesforce/salesforce.ts';
import { createEgress, type Requests } from '../src/providers/egress.ts';
import { createSecrets, type Secrets } from '../src/secrets.ts';

export interface ToCrms {
  deps: Pick<
    CrmActivityDeps & AutomationActivityDeps,
    'crms' | 'sending' | 'dashboardUrl' | 'egress' | 'secrets' | 'createTicket'
  >;
  close(): Promise<void>;
}

/** The ways to the ticketing systems of orgs, as the configuration sets them. */
export function composeCrms(config: Config, db: Db): ToCrms {
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  const mediaLinks = createMediaLinks(config.JWT_SECRET, config.PUBLIC_URL);
  const secrets = createSecrets(config.SECRET_KEYS);
  const handoffDeps = { crms: createCrmClients(db, secrets, egress), dashboardUrl: config.dashboardUrl };
  return {
    deps: {
      egress,
      secrets,
      ...handoffDeps,
      sending: { mediaLinks, isDevelopment: config.DEVELOPMENT },
      createTicket: (...wanted) => createTicket(db, handoffDeps, ...wanted),
    },
    close: () => egress.close(),
  };
}

function createCrmClients(db: Db, secrets: Secrets, egress: Requests): CrmClients {
  const hubspotOf = createHubspots({ db, secrets, requests: egress });
  return {
    async hubspot(orgId) {
      const settings = await findConnection(db, secrets, orgId, 'crm');
      return settings && { settings, client: hubspotOf(orgId, settings) };
    },
    async salesforce(orgId) {
      const settings = await findConnection(db, secrets, orgId, 'miaw');
      return settings && createSalesforce({ egress, store: createConversationStore(db, secrets, orgId) }, settings);
    },
  };
}
