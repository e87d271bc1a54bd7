import type { Page } from 'playwright-core';
import { eventually } from '../../support/stack/stack.ts';
import type { KnowledgeSeeds } from './knowledge-seeds.ts';
import type { SettingsSeeds } from './settings-seeds.ts';

/** What the addresses of pages need. */
export interface Seeds extends KnowledgeSeeds, SettingsSeeds {
  sessionId: string;
  contactId: string;
  otherContactId: string;
  requestId: string;
  sequenceId: string;
  workflowId: string;
  runId: string;
}

/** The addresses of routes that have a parameter or show more with a query. Other routes are their own address. */
const ADDRESSES: Record<string, (seeds: Seeds) => string[]> = {
  '/': () => ['/'],
  '/inbox': () => ['/inbox?view=all', '/inbox?view=closed&channel=email'],
  '/s/$id': ({ sessionId }) => [`/s/${sessionId}`, '/s/00000000-0000-7000-8000-000000000000'],
  '/contacts': () => ['/contacts', '/contacts?q=zoe'],
  '/contacts/$contactId': ({ contactId, otherContactId }) => [
    `/contacts/${contactId}`,
    `/contacts/${contactId}?merge=choose`,
    `/contacts/${contactId}?merge=${otherContactId}`,
  ],
  '/contacts/segments/$segmentId': () => ['/contacts/segments/00000000-0000-7000-8000-000000000000'],
  '/outbound/$sequenceId': ({ sequenceId }) => [`/outbound/${sequenceId}`],
  '/automations/$id': ({ workflowId }) => [
    `/automations/${workflowId}`,
    `/automations/${workflowId}?tab=edit`,
    '/automations/new',
  ],
  '/automations/runs/$runId': ({ runId }) => [`/automations/runs/${runId}`],
  '/knowledge/articles/$articleId': ({ articleId }) => [
    '/knowledge/articles/new',
    `/knowledge/articles/${articleId}`,
    `/knowledge/articles/${articleId}?tab=versions`,
  ],
  '/knowledge/help-center/$articleId': ({ helpArticleId }) => [`/knowledge/help-center/${helpArticleId}`],
  '/knowledge/websites/$websiteId': ({ websiteId }) => [
    `/knowledge/websites/${websiteId}`,
    `/knowledge/websites/${websiteId}?tab=pages`,
  ],
  '/insights/$insightId': () => ['/insights/00000000-0000-7000-8000-000000000000'],
  '/analytics': () => ['/analytics', '/analytics?show=handoffs', '/analytics?show=deliveries&by=channel'],
  '/ai/evals/$runId': ({ evalRunId }) => [`/ai/evals/${evalRunId}`],
  '/settings/integrations/$kind': () => ['/settings/integrations/email', '/settings/integrations/crm'],
  '/settings/webhooks/$webhookId': ({ webhookId }) => [
    `/settings/webhooks/${webhookId}`,
    `/settings/webhooks/${webhookId}?open=settings`,
  ],
  '/settings/audit': () => ['/settings/audit', '/settings/audit?kind=member'],
  '/assistants': ({ requestId }) => [`/assistants?id=${requestId}`],
};

/** The route of the addresses below areas that were not opened yet. */
const LATER = '/$';
const ROUTES = 'window.__TSR_ROUTER__.routesByPath';

/**
 * Returns an address or more of each route that the router of an open page knows, once it has opened all areas. Throws
 * if one has a parameter that nothing is known of.
 */
export async function addressesOf(page: Page, seeds: Seeds): Promise<string[]> {
  const areas = await page.evaluate<string[]>(`${ROUTES}['${LATER}'].options.staticData.areas`);
  // The operator is no member: test/console/operator.test.ts
  for (const area of areas.filter((name) => name !== 'operator')) {
    await page.evaluate(`void window.__TSR_ROUTER__.navigate({ href: '/${area}' })`);
    await eventually(`the routes of ${area}`, () =>
      page.evaluate<boolean>(`Object.keys(${ROUTES}).some((path) => path.startsWith('/${area}'))`),
    );
  }
  const routes = await page.evaluate<string[]>(`Object.keys(${ROUTES}).filter((path) => path !== '${LATER}')`);
  return routes.flatMap((route) => {
    const addresses = ADDRESSES[route]?.(seeds);
    if (addresses === undefined && route.includes('$')) throw new Error(`No address of the route ${route} is known`);
    return addresses ?? [route];
  });
}

const IS_SETTLED = `(() => {
  const main = document.querySelector('main');
  const isBusy = [...document.querySelectorAll('[aria-busy=true]')].some((one) => one.checkVisibility());
  return main !== null && main.querySelector('h1') !== null && !isBusy;
})()`;
const FRAMES = 'new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))';

/** Waits until a page has read what it shows. */
export const untilSettled = (page: Page): Promise<boolean> =>
  eventually('a page that has read all', async () => {
    if (!(await page.evaluate<boolean>(IS_SETTLED))) return false;
    await page.evaluate(FRAMES); // what was read may show more that is read
    return page.evaluate<boolean>(IS_SETTLED);
  });
