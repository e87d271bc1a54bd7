import { anyFreePort } from '../../src/dev/ports.ts';
import { connectTemporalHealth } from '../../src/temporal/client.ts';
import { TASK_QUEUES } from '../../src/temporal/contract.ts';
import { startDoor, startProgram } from '../logging/support/program.ts';
import { startMailSink } from '../support/fakes/mail-sink.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { temporalAddress, testNamespace } from '../support/stack/servers.ts';
import { eventually } from '../support/stack/stack.ts';
import { ALERT_RULES, compareAlerts, hasPromtool } from './support/promtool.ts';
import { type Scrape, scrapeOf, sumOf } from './support/scrape.ts';
import { breachSla, endProcesses, failRuns, loseAnswers, refuseServer, startFailingCrm } from './support/troubles.ts';

const START_MS = 240_000;
/** An age of this many seconds shows that something waits: what is handled waits for milliseconds. */
const WAITS_SECONDS = 2;
const LATENCY = 'temporal_activity_schedule_to_start_latency_seconds';
const CRAWLS = 'queue="crawls",tasks="workflow"';

interface Case {
  alert: string;
  /** The labels that the alert has, besides its name and severity. */
  labels: Record<string, string>;
  cause: () => Promise<void>;
  /** Whether the programs show the condition. */
  isShown: (scrape: Scrape) => boolean;
}

/** The installation: an api in this process, whose connection to Temporal can be cut, and at most one worker. */
async function startInstallation() {
  const sink = await startMailSink();
  const door = await startDoor(new URL(`http://${temporalAddress()}`));
  await door.open();
  const env = { EGRESS_ALLOW: '127.0.0.0/8', TEMPORAL_ADDRESS: door.address, TEMPORAL_NAMESPACE: testNamespace() };
  const base = await startApi({ env });
  const temporal = connectTemporalHealth(base.config);
  const api = await startApi({ databaseUrl: base.databaseUrl, env, deps: { temporal } });
  let worker: Awaited<ReturnType<typeof startWorker>> | undefined;
  let started = 0;
  const startWorker = async (queues: readonly string[]) => {
    const port = await anyFreePort();
    const program = await startProgram('worker', {
      DATABASE_URL: api.databaseUrl,
      JWT_SECRET: api.config.JWT_SECRET,
      PUBLIC_URL: api.url,
      EGRESS_ALLOW: '127.0.0.0/8',
      SMTP_URL: sink.url,
      DEVELOPMENT: 'true',
      FAST_PATHS: 'off',
      WORKER_OPS_PORT: String(port),
      WORKER_QUEUES: queues.join(','),
    });
    const read = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
      return answer?.ok === true ? answer.text() : undefined;
    };
    await eventually('the worker to be ready', () => read('/readyz'));
    return { ...program, instance: `worker-${++started}:9090`, metrics: () => read('/metrics') };
  };
  const stopWorker = async () => {
    await worker?.stop();
    worker = undefined;
  };
  return {
    api,
    sink,
    async runWorker(queues: readonly string[]) {
      await stopWorker();
      worker = await startWorker(queues);
    },
    stopWorker,
    cutTemporal: () => door.close(),
    async scrape(): Promise<Scrape> {
      const { body } = await api.client().get('/metrics');
      return scrapeOf({ 'api:9090': body, ...(worker && { [worker.instance]: (await worker.metrics()) ?? '' }) });
    },
    async close() {
      await stopWorker();
      await Promise.all([api.close(), temporal.close(), sink.close()]);
      await base.close();
      door.close();
    },
  };
}

const describeWithPromtool = hasPromtool() ? describe : describe.skip;

describeWithPromtool('the alerts', () => {
  let stack: Awaited<ReturnType<typeof startInstallation>>;
  let crm: Awaited<ReturnType<typeof startFailingCrm>>;
  let api: TestApi;
  let before: Scrape;
  const shown = new Map<string, PromiseSettledResult<Scrape>>();

  const whileItWorks: Case[] = [
    {
      alert: 'SwitchboardSendsUnknown',
      labels: { channel: 'email' },
      cause: () => loseAnswers(api, stack.sink),
      isShown: (scrape) => sumOf(scrape, 'switchboard_deliveries_unknown', 'channel="email"') > 5,
    },
    {
      alert: 'SwitchboardSendsFail',
      labels: { channel: 'email' },
      cause: async () => undefined, // the mails without an answer are those of the case before
      isShown: (scrape) => sumOf(scrape, 'switchboard_send_seconds_count', 'outcome="unknown"') > 5,
    },
    {
      alert: 'SwitchboardRunsFail',
      labels: { kind: 'workflow' },
      cause: () => failRuns(api),
      isShown: (scrape) => sumOf(scrape, 'switchboard_runs_failed_recently', 'kind="workflow"') > 20,
    },
    {
      alert: 'SwitchboardSlaBreached',
      labels: { metric: 'first_reply' },
      cause: () => breachSla(api),
      isShown: (scrape) => sumOf(scrape, 'switchboard_sla_breaches_recently', 'metric="first_reply"') > 10,
    },
    {
      alert: 'SwitchboardEventParked',
      labels: {},
      cause: () => endProcesses(api),
      isShown: (scrape) => sumOf(scrape, 'switchboard_parked_events') === 1,
    },
    {
      alert: 'SwitchboardSequencePaused',
      labels: {},
      cause: () => refuseServer(api),
      isShown: (scrape) => sumOf(scrape, 'switchboard_sequences_paused', 'by="problem"') === 1,
    },
    {
      alert: 'SwitchboardInboundLate',
      labels: { source: 'crm' },
      cause: () => crm.failNextMessage(),
      isShown: (scrape) => sumOf(scrape, 'switchboard_inbound_oldest_seconds', 'source="crm"') > WAITS_SECONDS,
    },
  ];
  const withoutWorker: Case[] = [
    {
      alert: 'SwitchboardOutboxOld',
      labels: {},
      cause: async () => void (await api.org.post('/contacts', { contact: { email: 'bob@example.com' } })),
      isShown: (scrape) => sumOf(scrape, 'switchboard_outbox_oldest_seconds') > WAITS_SECONDS,
    },
  ];
  const withoutCrawler: Case[] = [
    {
      alert: 'SwitchboardQueueWaits',
      labels: { task_queue: 'interactive' },
      cause: async () => undefined, // an attempt was due while no worker ran
      isShown: (scrape) => sumOf(scrape, `${LATENCY}_sum`, 'task_queue="interactive"') > 5,
    },
    {
      alert: 'SwitchboardQueueStuck',
      labels: { queue: 'crawls', tasks: 'workflow' },
      cause: async () => void (await api.org.post('/crawl', { url: 'http://127.0.0.1:9/' })),
      isShown: (scrape) =>
        sumOf(scrape, 'switchboard_queue_oldest_seconds', CRAWLS) > WAITS_SECONDS &&
        sumOf(scrape, 'switchboard_queue_dispatched_per_second', CRAWLS) === 0,
    },
  ];
  const withoutTemporal: Case[] = [
    {
      alert: 'SwitchboardPartAway',
      labels: { instance: 'api:9090', part: 'temporal' },
      cause: async () => stack.cutTemporal(),
      isShown: ({ samples }) => samples.some(({ name, value }) => name === 'switchboard_part_up' && value === 0),
    },
  ];
  const cases = [whileItWorks, withoutWorker, withoutCrawler, withoutTemporal].flat();

  /** Causes conditions at once, and stores of each what the programs show then. */
  const causeAll = (some: Case[]) =>
    Promise.all(
      some.map(async ({ alert, cause, isShown }) => {
        const waits = async () => {
          await cause();
          return eventually(alert, async () => {
            const scrape = await stack.scrape();
            return isShown(scrape) && scrape;
          });
        };
        const [result] = await Promise.allSettled([waits()]);
        shown.set(alert, result);
      }),
    );

  beforeAll(async () => {
    stack = await startInstallation();
    api = stack.api;
    crm = await startFailingCrm(await api.createOrg('With a CRM'));
    await stack.runWorker(TASK_QUEUES);
    before = await eventually('an installation without work', async () => {
      const scrape = await stack.scrape();
      return ['outbox', 'queue'].every((what) => sumOf(scrape, `switchboard_${what}_oldest_seconds`) === 0) && scrape;
    });
    await causeAll(whileItWorks);
    await crm.untilRetried();
    await stack.stopWorker();
    await causeAll(withoutWorker);
    await stack.runWorker(TASK_QUEUES.filter((queue) => queue !== 'crawls'));
    await causeAll(withoutCrawler);
    await causeAll(withoutTemporal);
  }, START_MS);
  afterAll(async () => {
    await stack.close();
    await crm.close();
  });

  it('every alert of the rules has a case', () => {
    expect(cases.map(({ alert }) => alert).toSorted()).toEqual(ALERT_RULES.map(({ alert }) => alert).toSorted());
  });

  it('no alert fires while the installation works', () => {
    expect(compareAlerts(before, before, { of: {}, fire: [] })).toBeUndefined();
  });

  it.each(cases)('$alert fires by what the programs show of its condition', ({ alert, labels }) => {
    const result = shown.get(alert);
    if (result?.status !== 'fulfilled') throw result?.reason;
    const severity = ALERT_RULES.find((rule) => rule.alert === alert)?.labels.severity ?? '';
    const fire = [{ severity, ...labels }];
    expect(compareAlerts(before, result.value, { of: { alertname: alert }, fire })).toBeUndefined();
  });
});
