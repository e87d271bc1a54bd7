import { escapeHtml } from '../../src/html/page.rules.ts';
import { textOfHtml } from '../../src/html/text.rules.ts';
import type { TokenSource } from '../../src/providers/crm/hubspot/api.ts';
import { createHubspot } from '../../src/providers/crm/hubspot/hubspot.ts';
import type { HubspotSettings } from '../../src/providers/crm/hubspot/settings.ts';
import { createPropertyCache } from '../../src/providers/crm/hubspot/tickets/properties.ts';
import type { HandoffFacts, PriorAttempts } from '../../src/providers/crm/port.ts';
import { createEgress, type HttpClient } from '../../src/providers/egress/egress.ts';
import { startFakeHubspot } from './fakes/hubspot/server.ts';
import { APP_ID } from './fakes/hubspot/threads.ts';

const SETTINGS: HubspotSettings = {
  app_id: String(APP_ID),
  ai_user_id: '700',
  pipeline_id: '0',
  open_stage_id: '1',
};

/** A client of a fake HubSpot with the true token and no limits, and what it asked of both. Close it after use. */
export async function startHubspotClient(settings: HubspotSettings = {}) {
  const fake = await startFakeHubspot();
  const egress = createEgress({ allow: ['127.0.0.0/8'] });
  const asked: string[] = [];
  const tokens: TokenSource = {
    get: async () => fake.accessToken,
    refuse: async (token) => void asked.push(`refuse ${token}`),
    confirm: async () => void asked.push('confirm'),
  };
  const properties = createPropertyCache();
  const clientBy = (requests: HttpClient, more: HubspotSettings = {}) =>
    createHubspot(
      {
        requests,
        tokens,
        budget: { reserve: async (kind) => void asked.push(kind) },
        markup: { escapeHtml, textOfHtml },
        properties,
        connection: 'account',
      },
      { base_url: fake.url, ...SETTINGS, ...settings, ...more },
    );
  return {
    fake,
    asked,
    client: clientBy(egress),
    /** The same with these settings as well. */
    withSettings: (more: HubspotSettings) => clientBy(egress, more),
    /** Waits 200 ms for an answer. */
    hurried: clientBy({ request: (url, options) => egress.request(url, { ...options, timeoutMs: 200 }) }),
    async close() {
      await Promise.all([fake.close(), egress.close()]);
    },
  };
}

export const SESSION_ID = '01932b1c-5a00-7000-8000-000000000001';

/** Of a session that is handed off, with its contact known in HubSpot where an id is given. */
export const facts = (given: Partial<HandoffFacts> = {}, contact?: string): HandoffFacts => ({
  sessionId: SESSION_ID,
  ticketNumber: 17,
  handoffNumber: 1,
  hasEarlierTicket: false,
  subject: 'Where is my order?',
  summary: 'Customer: Where is <my> order?',
  reason: 'asked for a human',
  sentiment: null,
  language: 'en',
  sessionUrl: `https://desk.example.com/sessions/${SESSION_ID}`,
  contact: { name: 'Ann Maria Smith', email: 'Ann@Example.com', phone: null },
  properties: {},
  threadId: null,
  externalIds: contact === undefined ? {} : { contact },
  ...given,
});

export const first = (): PriorAttempts => ({ mayExist: false, since: new Date() });
/** After a try so long ago that went wrong in a way that tells nothing. */
export const again = (msAgo = 1_000): PriorAttempts => ({ mayExist: true, since: new Date(Date.now() - msAgo) });
