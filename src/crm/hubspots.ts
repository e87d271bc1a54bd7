import type { Db } from '../db/connect.ts';
import { textOfHtml } from '../deliveries/html.rules.ts';
import { escapeHtml } from '../http/html.ts';
import { createHubspot } from '../providers/crm/hubspot/hubspot.ts';
import { createTokenRefresh } from '../providers/crm/hubspot/oauth.ts';
import type { Hubspot } from '../providers/crm/hubspot/port.ts';
import { createPropertyCache } from '../providers/crm/hubspot/properties.ts';
import type { Requests } from '../providers/egress.ts';
import type { Secrets } from '../secrets.ts';
import { createBudget } from './budget.ts';
import { connectionOf, createTokenSources, type HubspotSettings } from './tokens.service.ts';

/** Makes the HubSpot client of an org with these settings: cheap, so that each use can have one with the settings of now. */
export function createHubspots({ db, secrets, requests }: { db: Db; secrets: Secrets; requests: Requests }) {
  const tokensOf = createTokenSources({ db, secrets, refresh: createTokenRefresh(requests) });
  const properties = createPropertyCache();
  return (orgId: string, settings: HubspotSettings): Hubspot =>
    createHubspot(
      {
        requests,
        tokens: tokensOf(orgId, settings),
        budget: createBudget(db, orgId),
        markup: { escapeHtml, textOfHtml },
        properties,
        connection: `${orgId} ${connectionOf(settings)}`,
      },
      settings,
    );
}
