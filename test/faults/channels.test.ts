import { FAKES_ALLOWED } from '../support/channels.ts';
import {
  type Line,
  type Reporter,
  smsLine,
  startReporter,
  type Taken,
  voiceLine,
  whatsAppLine,
} from './support/channel-lines.ts';
import type { FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { randomFrom } from './support/random.ts';
import { KILLS, SENDS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

const SEED = 20_261_121;
/** Usual response times, long enough to have sends in progress on all channels when the worker is killed. */
const USUAL_MS = { sms: 600, whatsapp: 600, voice: 150 };
/** Vapi's list is read up to a thousand calls. No account makes more during a test. */
const LISTED_CALLS = 1_000;
const CHANNELS = { sms: smsLine, whatsapp: whatsAppLine, voice: voiceLine };
type Channel = keyof typeof CHANNELS;

interface Row {
  id: string;
  to: string;
  status: string;
  provider_id: string | null;
  answers: unknown[];
}

interface Run {
  channel: Channel;
  org: FaultOrg;
  line: Line;
  reporter: Reporter;
  sequenceId: string;
  numbers: string[];
}

let stack: FaultStack;
const runs = new Map<Channel, Run>();

/** Sends on all channels at once, killing the worker repeatedly. */
beforeAll(async () => {
  stack = await startFaultStack({ env: FAKES_ALLOWED });
  const begun = await Promise.all((Object.keys(CHANNELS) as Channel[]).map(begin));
  for (const run of begun) runs.set(run.channel, run);
  const taken = () => [...runs.values()].reduce((sum, { line }) => sum + line.taken().length, 0);
  for (let kill = 1; kill <= KILLS; kill++) {
    const count = Math.floor((runs.size * SENDS * kill) / (KILLS + 2));
    await until(`${count} sends were taken`, async () => taken() >= count, TEST_LIMIT_MS);
    await stack.worker.kill();
    await stack.worker.start();
  }
  for (const { org, sequenceId } of runs.values()) await org.untilComplete(sequenceId, SENDS, TEST_LIMIT_MS);
}, TEST_LIMIT_MS);
afterAll(async () => {
  await Promise.all([...runs.values()].map(({ line }) => line.close()));
  await stack.close();
});

async function begin(channel: Channel, index: number): Promise<Run> {
  const org = await stack.newOrg();
  const line = await CHANNELS[channel](randomFrom(SEED + index), USUAL_MS[channel]);
  const reporter = startReporter(line, randomFrom(SEED - index));
  const put = (path: string, body: object) => org.call('PUT', path, body);
  const action = await line.connect({ put, post: org.post });
  const steps = [{ delay_in_minutes: 0, action }];
  const sequenceId = (await org.post('/sequences', { filter: null, steps })).body.id;
  const numbers = Array.from({ length: SENDS }, (_, i) => `+1415${5_550_000 + i}`);
  const contacts = numbers.map((phone_number) => ({ phone_number }));
  expect((await org.post(`/sequences/${sequenceId}/contacts`, { contacts })).status).toBe(201);
  return { channel, org, line, reporter, sequenceId, numbers };
}

const rowsOf = ({ sequenceId }: Run): Promise<Row[]> =>
  stack.db
    .selectFrom('deliveries')
    .select(['id', 'to', 'status', 'provider_id', 'answers'])
    .where('sequence_id', '=', sequenceId)
    .execute() as Promise<Row[]>;

/** Returns contradictions between the ledger and the provider's record of a send. */
function wrongWith({ id, to, status, provider_id }: Row, taken: Taken | undefined, isDelivered: boolean) {
  const said = `${to}: ${status}, ${provider_id}, though ${taken === undefined ? 'it was not taken' : `taken as ${taken.providerId}`}`;
  if (taken !== undefined && (taken.to !== to || taken.deliveryId !== id)) return `${said} for ${taken.to}`;
  if (isDelivered !== (status === 'delivered')) return `${said} and ${isDelivered ? '' : 'not '}told to be delivered`;
  if (status === 'unknown') return undefined;
  if (status === 'failed') return taken === undefined ? undefined : said;
  const isKnown = ['accepted', 'delivered'].includes(status) && provider_id === taken?.providerId;
  return isKnown && taken !== undefined ? undefined : said;
}

describe.each(Object.keys(CHANNELS) as Channel[])(
  'under random faults and kills of the worker, sending on %s',
  (channel) => {
    const run = () => runs.get(channel) as Run;

    it('reaches everyone, and nobody twice', async () => {
      const { line, numbers } = run();
      const rows = await rowsOf(run());
      expect(rows.map(({ to }) => to).sort()).toEqual(numbers);
      const taken = line.taken().map(({ deliveryId }) => deliveryId);
      expect(taken.length).toBe(new Set(taken).size);
      expect(line.taken().length).toBe(new Set(line.taken().map(({ to }) => to)).size);
      const known = new Set(rows.map(({ id }) => id));
      expect(taken.filter((id) => !known.has(id))).toEqual([]);
    });

    it('leaves the provider’s outcome in the ledger, or the status unknown', async () => {
      const { line, reporter } = run();
      const { delivered, wrong } = await reporter.stop();
      const taken = new Map(line.taken().map((one) => [one.deliveryId, one]));
      const rows = await rowsOf(run());
      for (const row of rows) wrong.push(...[wrongWith(row, taken.get(row.id), delivered.has(row.id)) ?? []].flat());
      expect(wrong).toEqual([]);
    });

    const canAsk = channel === 'sms' || (channel === 'voice' && SENDS <= LISTED_CALLS);
    if (!canAsk) return;
    it(
      'finds every accepted message by reconciliation: only others stay unknown',
      async () => {
        const taken = new Set(
          run()
            .line.taken()
            .map(({ deliveryId }) => deliveryId),
        );
        await until(
          'all that was taken was found',
          async () => !(await rowsOf(run())).some(({ id, status }) => status === 'unknown' && taken.has(id)),
          90_000,
        );
      },
      TEST_LIMIT_MS,
    );
  },
);

it('the worker was killed in the middle of sends', async () => {
  const rows = (await Promise.all([...runs.values()].map(rowsOf))).flat();
  expect(rows.filter(({ answers }) => answers.length === 0).length).toBeGreaterThan(0);
});
