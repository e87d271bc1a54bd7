import { ARTICLES, QUESTION } from '../ai/answering-org.ts';
import { addressesOf } from '../faults/support/fault-org.ts';
import { IS_LONG } from '../faults/support/sizes.ts';
import { until } from '../faults/support/until.ts';
import { type Cluster, startCluster } from './support/cluster.ts';
import { findClusterTools } from './support/tools.ts';

const LIMIT_MS = 1_200_000;

const tools = IS_LONG ? await findClusterTools() : 'it belongs to the long tier';
if (typeof tools === 'string') console.log(`The production shape is not tried: ${tools}`);
const whenFound = typeof tools === 'string' ? describe.skip : describe;

whenFound('the production shape, without Docker', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster(tools as Exclude<typeof tools, string>);
  }, LIMIT_MS);
  afterAll(() => cluster?.close());

  it(
    'answers a message and sends a mail, through TLS, PgBouncer and Temporal on Postgres',
    async () => {
      const org = await cluster.newOrg();
      await org.call('PUT', '/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles: ARTICLES }] });
      await org.call('PATCH', '/autopilot', { channel: 'api', autopilot_enabled: true });
      await org.call('PATCH', '/autopilot/settings', { quiet_seconds: { api: 0.3 } });
      expect((await org.call('POST', '/autopilot/settings/publish')).status).toBeLessThan(300);

      const { body: session } = await org.post('/chat/sessions', { channel: { type: 'api' } });
      const message = { sender: 'contact', message: { type: 'text', text: QUESTION } };
      expect((await org.post(`/chat/sessions/${session.id}/send`, message)).status).toBeLessThan(300);
      await until('the AI has answered', async () => {
        const { body } = await org.call('GET', `/chat/sessions/${session.id}/history`);
        return JSON.stringify(body).includes('five working days');
      });

      const sequence = await org.createSequence();
      const emails = addressesOf(org, 20);
      await org.addContacts(emails);
      await org.untilComplete(sequence, emails.length);
      expect(await org.outcomeOf(sequence, emails)).toEqual({ contacts: 20, mails: 20, unknown: 0, wrong: [] });
    },
    LIMIT_MS,
  );
});
