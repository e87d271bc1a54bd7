import type { TestOrg } from '../support/stack/api.ts';
import { type Stack, startStack } from '../support/stack/stack.ts';
import { HELP_CENTER as PORTAL } from './support/chatwoot.ts';
import { codesOf as codes, imported as importedBy, sessionsOf } from './support/importing.ts';
import { ADA, ARTICLE, GRACE, HELP_CENTER, LATER_TICKET, lines, OPEN_TICKET, TICKET } from './support/zendesk.ts';

let stack: Stack;
let org: TestOrg;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
});

const imported = (source: string, resource: string, file: string) => importedBy(org, [source, resource], file);
const codesOf = (job: Parameters<typeof codes>[1]) => codes(org, job);
const sessions = () => sessionsOf(org);
const tree = async () => (await org.get('/help-center/content')).body.categories;

describe('tickets', () => {
  it('tickets come in once from two imports of the same file at the same time', async () => {
    const file = lines(...Array.from({ length: 50 }, (_, n) => ({ ...TICKET, id: 700 + n, requester: GRACE })));
    const jobs = await Promise.all([1, 2].map(() => imported('zendesk', 'conversations', file)));
    expect(jobs.map(({ created, unchanged }) => created + unchanged)).toEqual([50, 50]);
    expect(jobs.map(({ created }) => created).reduce((sum, count) => sum + count)).toBe(50);
    expect(await sessions()).toHaveLength(50);
  });

  it('tickets that were continued here stay as they are, and the report says so', async () => {
    await imported('zendesk', 'conversations', lines(OPEN_TICKET));
    const [session] = await sessions();
    await org.post(`/chat/sessions/${session.id}/notes`, { text: 'We go on here' });
    const job = await imported('zendesk', 'conversations', lines(LATER_TICKET));
    expect(job).toMatchObject({ updated: 0, unchanged: 1 });
    expect(await codesOf(job)).toEqual(['1 502 part continued_here']);
    expect((await sessions())[0].status).toBe('open');
  });
});

describe('contacts', () => {
  it('contacts that exist get only what they do not have, and keep a number and an address from two people', async () => {
    await org.post('/contacts', {
      contact: { email: 'ada@example.com', name: 'Countess', custom_data: { plan: 'free' } },
    });
    await org.post('/contacts', { contact: { email: 'flat@example.com', phone: ADA.phone } });
    const job = await imported('zendesk', 'contacts', lines(ADA, { ...GRACE, email: 'nonsense', phone: '12' }));
    expect(job).toMatchObject({ created: 1, unchanged: 1, incomplete: 2 });
    expect(await codesOf(job)).toEqual([
      '1 8001 part phone_taken',
      '2 8002 part email_invalid',
      '2 8002 part phone_invalid',
    ]);
    expect((await org.get('/contacts?email=ada@example.com')).body.items).toMatchObject([
      { name: 'Countess', phone: null, external_id: 'shop-1', custom_data: { plan: 'free', seats: '3' } },
    ]);
  });

  it('contacts that were deleted here do not come back, and neither do their conversations', async () => {
    await imported('zendesk', 'contacts', lines(ADA));
    const [contact] = (await org.get('/contacts')).body.items;
    await org.delete(`/contacts/${contact.id}`);
    const again = await imported('zendesk', 'contacts', lines(ADA));
    expect(await codesOf(again)).toEqual(['1 8001 record deleted_here']);
    const tickets = await imported('zendesk', 'conversations', lines(TICKET));
    expect(await codesOf(tickets)).toEqual(['1 501 record deleted_here']);
    expect((await org.get('/contacts')).body.items).toEqual([]);
  });
});

describe('help centers', () => {
  it('articles are brought up to date where nobody has changed them here', async () => {
    await imported('zendesk', 'help_center', lines(HELP_CENTER));
    const changed = { ...HELP_CENTER, articles: [{ ...ARTICLE, body: '<p>Within 60 days.</p>' }] };
    expect(await imported('zendesk', 'help_center', lines(changed))).toMatchObject({ updated: 1, unchanged: 1 });
    const mine = await tree();
    mine[0].categories[0].articles[0].content_markdown = 'Ours now';
    await org.put('/help-center/content', { categories: mine });
    const job = await imported('zendesk', 'help_center', lines(HELP_CENTER));
    expect(await codesOf(job)).toEqual(['1 51 part changed_here', '3 52 record not_public']);
    expect((await tree())[0].categories[0].articles[0].content_markdown).toBe('Ours now');
  });

  it('a help center of Chatwoot comes in from the answers of its portal', async () => {
    const job = await imported('chatwoot', 'help_center', lines(...PORTAL));
    expect(job).toMatchObject({ created: 1, left_out: 1 });
    expect(await tree()).toMatchObject([
      {
        name: 'Delivery',
        slug: 'delivery-3',
        description: 'From us to you',
        articles: [{ slug: 'track-a-parcel-8', content_markdown: '# Track\n\nUse the *link*.' }],
      },
    ]);
  });
});
