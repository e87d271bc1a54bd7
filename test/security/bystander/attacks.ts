import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../src/ids.ts';
import { ARTICLE_OF_REFERENCES, MESSAGE_OF_MANY_VALUES } from '../oversized.ts';
import type { Attacker } from './attacker.ts';

interface Attack {
  /** Sends one round of requests and returns the statuses of their answers. Later rounds may be refused. */
  run(attacker: Attacker, round: number): Promise<number[]>;
  /** The statuses of the first round. They show that the attack is of the right shape. */
  first: number[];
}

const PAUSE_MS = 500;
/** After this time the first request's transaction has begun. */
const BEHIND_MS = 400;

/** As many values and characters as a definition may have. */
const steps = [
  {
    $kind: 'Action',
    type: 'send-webhook',
    id: 'call',
    name: 'Call',
    input: { url: 'https://example.com', body: { lists: Array(9_900).fill([]), text: 'x'.repeat(450_000) } },
  },
];
const listening = [
  {
    $kind: 'Block',
    type: 'wait-for-event',
    id: 'heard',
    inputs: { trigger_type: 'ticket-created', constraint: null, timeout_minutes: 600 },
  },
];
const comparing = [
  {
    $kind: 'Block',
    type: 'if-else',
    id: 'if',
    inputs: { condition: { operatorName: 'greater_than', left: '{{trigger.output.n}}', right: 1 } },
    // biome-ignore lint/suspicious/noThenProperty: the definitions' own word
    branches: { then: [] },
  },
];
const FORM_FIELDS = Array.from({ length: 40 }, (_, n) => ({ name: `f${n}`, label: `Field ${n}`, type: 'email' }));
const FORM = JSON.stringify(Object.fromEntries(FORM_FIELDS.map(({ name }) => [name, `a@${'.'.repeat(20_000)}`])));
const LARGE_DATA = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`k${n}`, 'x'.repeat(5_000)]));
const LARGE_MESSAGE = Buffer.from(MESSAGE_OF_MANY_VALUES);

const helpCenter = (articles: object[]) => ({ categories: [{ name: 'Help', slug: 'help', articles }] });
const LONG_HELP_CENTER = Buffer.from(
  JSON.stringify(
    helpCenter(
      Array.from({ length: 40 }, (_, n) => ({
        title: `T${n}`,
        slug: `t${n}`,
        content_markdown: `# Long\n\n${'[link](https://example.com/a) and *text* '.repeat(4_000)}`,
      })),
    ),
  ),
);

/** Adds 1,000 contacts whose addresses begin with a name. */
const addContacts = ({ call }: Attacker, name: string) =>
  call('POST', '/contacts/batch', {
    contacts: Array.from({ length: 1_000 }, (_, n) => ({ email: `${name}-${n}@example.com` })),
  });

/** Creates a workflow and activates it. */
async function addWorkflow({ org }: Attacker, workflow: object) {
  const made = await org.call('POST', '/workflows', { name: 'Attack', workflow_blocks: [], ...workflow });
  const path = `/workflows/${made.body.workflow_id}`;
  const activated = await org.call('POST', `${path}/activate`, {});
  return { path, url: made.body.webhook_url as string, statuses: [made.status, activated.status] };
}

const simulate = ({ call }: Attacker, more: object) =>
  call('POST', '/workflows/simulate', { trigger_type: 'manual-trigger', workflow_blocks: [], ...more });

const crawlOf = (site: keyof Attacker['sites']): Attack => ({
  run: async ({ call, sites }) => [await call('POST', '/crawl', { url: `${sites[site]}/`, page_limit: 500 })],
  first: [201],
});

const times = (count: number, status: number): number[] => Array(count).fill(status);

/** The attacks of an org, and of visitors without a key. */
export const ATTACKS: Record<string, Attack> = {
  'large active workflows': {
    async run(attacker, round) {
      const { statuses } = await addWorkflow(attacker, { trigger_type: 'contact-created', workflow_blocks: steps });
      const email = `new-${round}@example.com`;
      return [...statuses, await attacker.call('POST', '/contacts', { contact: { email } })];
    },
    first: [201, 200, 201],
  },
  'sitemap of nested tags': crawlOf('sitemap'),
  'robots.txt of many agents': crawlOf('rules'),
  'robots.txt without an end': crawlOf('endless'),
  'texts for slow patterns': {
    async run(attacker) {
      const trigger_output = { n: `${'1'.repeat(100_000)}!` };
      const from_email = 'a@example.org';
      const to_email = `nobody@${attacker.org.id}.example.com`;
      const recipients = [{ to_email, email_subject: 'x', email_body: '<a'.repeat(200_000) }];
      const settings = { host: ':'.repeat(100_000) };
      return [
        await simulate(attacker, { trigger_output, workflow_blocks: comparing }),
        await attacker.call('PUT', '/integrations/email', { provider: 'smtp', settings }),
        await attacker.call('POST', '/email', { from_email, recipients }),
      ];
    },
    first: [200, 400, 201],
  },
  'forms and files of visitors': {
    async run(attacker) {
      const trigger_configuration = { fields: FORM_FIELDS };
      const form = await addWorkflow(attacker, { trigger_type: 'form-trigger', trigger_configuration });
      const file = new FormData();
      file.append('file', new File(['text'], `a${' '.repeat(70_000)}.`));
      const headers = { 'content-type': 'application/json' };
      return [
        ...form.statuses,
        await attacker.visit(new URL(form.url).pathname, { method: 'POST', headers, body: FORM }),
        await attacker.visit('/backend/widget/v2/upload', {
          method: 'POST',
          headers: await attacker.visitorHeaders(),
          body: file,
        }),
      ];
    },
    first: [201, 200, 400, 200],
  },
  'constraints of long searches': {
    async run(attacker) {
      const search = { in: [{ var: 'p' }, { var: 't' }] };
      const trigger_output = { p: `${'a'.repeat(60_000)}b${'a'.repeat(60_000)}`, t: 'a'.repeat(180_000) };
      return [await simulate(attacker, { trigger_output, trigger_constraints: { or: Array(300).fill(search) } })];
    },
    first: [200],
  },
  'small requests behind a long transaction': {
    async run({ call }) {
      const small = () => call('PUT', '/help-center/content', { categories: [] });
      const [first] = await Promise.all([
        call('PUT', '/help-center/content', LONG_HELP_CENTER),
        ...Array.from({ length: 30 }, async () => {
          await sleep(BEHIND_MS);
          return small();
        }),
      ]);
      return [first];
    },
    first: [200],
  },
  'events that many runs wait for': {
    async run(attacker, round) {
      const { call, org } = attacker;
      const statuses: number[] = [];
      if (round === 0) {
        const workflow = { trigger_type: 'contact-created', workflow_blocks: listening };
        statuses.push(...(await addWorkflow(attacker, workflow)).statuses, await addContacts(attacker, 'waiting'));
      }
      const contact = { email: `large-${round}@example.com`, custom_data: LARGE_DATA };
      const { status, body } = await org.call('POST', '/contacts', { contact });
      const search = { filter: { or: [{ and: [{ type: 'contacts_attributes_in', attributes: [{ k0: 'x' }] }] }] } };
      return [
        ...statuses,
        status,
        await call('POST', '/chat/sessions', { contact_id: body.id }),
        await call('POST', '/contacts/search', search, newId()),
      ];
    },
    first: [201, 200, 200, 201, 201, 200],
  },
  'many large definitions': {
    async run(attacker) {
      const workflow = { trigger_type: 'manual-trigger', workflow_blocks: steps };
      const { path, statuses } = await addWorkflow(attacker, workflow);
      const triggered = await attacker.call('POST', `${path}/trigger`, {});
      return [...statuses, triggered, await attacker.call('POST', `${path}/deactivate`, {})];
    },
    first: [201, 200, 200, 200],
  },
  'an article of many references': {
    async run({ call, org, visit }, round) {
      const article = { title: 'Long', slug: 'long', content_markdown: ARTICLE_OF_REFERENCES };
      const saved = round === 0 ? [await call('PUT', '/help-center/content', helpCenter([article]))] : [];
      return [...saved, ...(await Promise.all([0, 1, 2].map(() => visit(`/help/${org.id}/help/long`))))];
    },
    first: times(4, 200),
  },
  'slow searches': {
    async run(attacker, round) {
      const added = round < 10 ? [await addContacts(attacker, `found-${round}`)] : [];
      const attributes = Array.from({ length: 20 }, (_, n) => ({ [`key-${n}`]: 'nothing' }));
      const filter = { or: [{ and: [{ type: 'contacts_attributes_in', attributes }] }] };
      return [...added, await attacker.call('POST', '/contacts/search', { filter })];
    },
    first: [200, 200],
  },
  'robots.txt of wildcards': crawlOf('wildcards'),
  'bodies of many values': {
    async run({ call, org }) {
      const { status, body } = await org.call('POST', '/chat/sessions', {});
      return [status, await call('POST', `/chat/sessions/${body.id}/send`, LARGE_MESSAGE)];
    },
    first: [201, 400],
  },
  streams: {
    run: ({ stream }) => Promise.all(Array.from({ length: 120 }, () => stream('/events'))),
    first: [...times(100, 200), ...times(20, 429)],
  },
  'public pages': {
    async run({ call, org, visit }, round) {
      const article = { title: 'Refunds', slug: 'refunds', content_markdown: 'Within 30 days' };
      const saved = round === 0 ? [await call('PUT', '/help-center/content', helpCenter([article]))] : [];
      const searches = await Promise.all(Array.from({ length: 20 }, (_, n) => visit(`/help/${org.id}?q=${n}`)));
      const logins = await Promise.all(Array.from({ length: 10 }, () => visit('/partner-login?token=none')));
      return [...saved, ...searches, ...logins];
    },
    first: [...times(21, 200), ...times(10, 410)],
  },
};

/**
 * Repeats an attack until the time is over. Returns the number of rounds and the sorted statuses of the first, which is
 * completed. Errors of later rounds are ignored: a broken connection is the attacker's own matter.
 */
export async function attackUntil({ run }: Attack, attacker: Attacker, deadlineMs: number) {
  const first = (await run(attacker, 0)).toSorted();
  let rounds = 1;
  for (; Date.now() < deadlineMs; rounds++) {
    await sleep(PAUSE_MS);
    const msLeft = Math.max(0, deadlineMs - Date.now());
    await Promise.race([run(attacker, rounds).catch(() => undefined), sleep(msLeft)]);
  }
  return { rounds, first };
}
