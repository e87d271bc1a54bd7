import type { Db } from '../../db/connect.ts';
import { escapeHtml } from '../../html/page.rules.ts';
import { textOfHtml } from '../../html/text.rules.ts';
import type { ConnectionCalls } from '../../orgs/integrations/calls.service.ts';
import { createHubspot } from '../../providers/crm/hubspot/hubspot.ts';
import { createTokenRefresh } from '../../providers/crm/hubspot/oauth.ts';
import type { Hubspot } from '../../providers/crm/hubspot/port.ts';
import { createPropertyCache } from '../../providers/crm/hubspot/tickets/properties.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import type { Secrets } from '../../secrets.ts';
import { createRateLimit } from './rate-limit.ts';
import { connectionDigestOf, createTokenSources, type HubspotSettings } from './tokens.service.ts';

/**
 * Creates the HubSpot client of an org with these settings. It is cheap, so that each use can have one with the current
 * settings.
 */
export function createHubspotFactory({
  db,
  secrets,
  requests,
  calls,
  tokenPath,
}: {
  db: Db;
  secrets: Secrets;
  requests: HttpClient;
  calls: Pick<ConnectionCalls, 'observe'>;
  tokenPath: string;
}) {
  const observed = (orgId: string, settings: HubspotSettings) =>
    calls.observe(requests, { orgId, kind: 'crm', settings });
  const refreshOf = (orgId: string, settings: HubspotSettings) =>
    createTokenRefresh(observed(orgId, settings), tokenPath);
  const tokensOf = createTokenSources({ db, secrets, refreshOf });
  const properties = createPropertyCache();
  return (orgId: string, settings: HubspotSettings): Hubspot =>
    createHubspot(
      {
        requests: observed(orgId, settings),
        tokens: tokensOf(orgId, settings),
        budget: createRateLimit(db, orgId),
        markup: { escapeHtml, textOfHtml },
        properties,
        connection: `${orgId} ${connectionDigestOf(settings)}`,
      },
      settings,
    );
}
