import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { sql } from 'kysely';
import { anyFreePort } from '../../src/dev/ports.ts';
import { newId } from '../../src/ids.ts';
import { connectTemporalHealth } from '../../src/temporal/client.ts';
import { startProgram } from '../logging/support/program.ts';
import { startMailSink } from '../support/fakes/mail-sink.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { temporalAddress, testNamespace } from '../support/stack/servers.ts';
import { eventually } from '../support/stack/stack.ts';
import { ALERT_RULES, failureOf, hasPromtool } from './support/promtool.ts';
import { numberOf } from './support/scrape.ts';

/** Those of Temporal's SDK that the board and the alerts use. */
const TEMPORAL_METRICS = [
  'temporal_activity_schedule_to_start_latency_seconds',
  'temporal_worker_task_slots_available',
];

interface RuleTests {
  tests: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[];
}

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ isInProcess: true, env: { EGRESS_ALLOW: '127.0.0.0/8' } });
});
afterAll(() => api.close());

/** What an alert watches is caused here: rows that the product writes only after hours or by faults of others. */
async function causeTrouble(orgId: string): Promise<void> {
  const id = () => sql`${newId()}::uuid`;
  const statements = [
    sql`insert into outbox (org_id, kind, type, subject_id, payload, created_at)
      values (${orgId}, 'event', 'contact-created', ${id()}, '{}', now() - interval '2 hours')`,
    sql`insert into outbox (org_id, kind, type, subject_id, payload, created_at, interruptions, available_at)
      values (${orgId}, 'event', 'contact-created', ${id()}, '{}', now() - interval '9 hours', 6, 'infinity')`,
    sql`insert into sequences (org_id, id, name, is_continuous, status, paused_reason)
      values (${orgId}, ${id()}, 'A', false, 'paused', 'the mail server refuses the login'), (${orgId}, ${id()}, 'B', false, 'paused', null)`,
    sql`insert into deliveries (org_id, id, channel, status) values (${orgId}, ${id()}, 'sms', 'unknown')`,
    sql`insert into automation_runs (org_id, id, automation_id, version_id, status, trigger_cause, trigger_key, trigger_output, run_ended_at)
      values (${orgId}, ${id()}, ${id()}, 1, 'failed', 'automatic', 'key', '{}', now())`,
    sql`insert into crawl_jobs (org_id, id, datasource_id, kind, status, completed_at)
      values (${orgId}, ${id()}, ${id()}, 'full', 'failed', now())`,
    sql`insert into sla_clocks (org_id, session_id, metric, cycle, target_seconds, elapsed_seconds, changes_told, outcome, decided_at)
      values (${orgId}, ${id()}, 'first_reply', 0, 60, 90, 0, 'breached', now())`,
    sql`insert into due_work (org_id, kind, subject_id) values (${orgId}, 'embedding', ${id()})`,
    sql`insert into ai_turns (org_id, id, session_id, number, state, first_seq, last_seq, answers, message_id, config_version, due_at)
      values (${orgId}, ${id()}, ${id()}, 1, 'waiting', 1, 1, '{}', ${id()}, 1, now())`,
    sql`insert into crm_events (org_id, dedupe_key, batch_id, queue, type, object_id, occurred_at, created_at)
      values (${orgId}, 'one', ${id()}, 'q', 'ticket.creation', '1', now(), now() - interval '10 minutes')`,
    sql`insert into inbound_emails (org_id, id, kind, mail_from, rcpt_to, sha256, received_at)
      values (${orgId}, ${id()}, 'reply', 'ann@example.com', 'r@example.org', '\x01', now() - interval '20 minutes')`,
  ];
  await api.db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    for (const statement of statements) await statement.execute(trx);
  });
}

it('the api shows what waits, failed and stopped in the whole installation, and names no customer', async () => {
  await causeTrouble(api.org.id);
  await causeTrouble(api.other.id);
  const { body } = await api.client().get('/metrics');

  expect(numberOf(body, 'switchboard_outbox_rows')).toBe(4);
  expect(numberOf(body, 'switchboard_outbox_oldest_seconds')).toBeGreaterThan(7_199);
  expect(numberOf(body, 'switchboard_outbox_oldest_seconds')).toBeLessThan(7_300);
  expect(numberOf(body, 'switchboard_parked_events')).toBe(2);
  const named = {
    'switchboard_sequences_paused{by="problem"}': 2,
    'switchboard_sequences_paused{by="person"}': 2,
    'switchboard_deliveries_unknown{channel="sms"}': 2,
    'switchboard_deliveries_unknown{channel="email"}': 0,
    'switchboard_runs_failed_recently{kind="workflow"}': 2,
    'switchboard_runs_failed_recently{kind="crawl"}': 2,
    'switchboard_sla_breaches_recently{metric="first_reply"}': 2,
    'switchboard_sla_breaches_recently{metric="resolution"}': 0,
    'switchboard_due_work{kind="embedding"}': 2,
    'switchboard_ai_turns{state="waiting"}': 2,
  };
  const shown = Object.keys(named).map((series) => [series, numberOf(body, series)]);
  expect(Object.fromEntries(shown)).toEqual(named);
  expect(numberOf(body, 'switchboard_inbound_oldest_seconds{source="crm"}')).toBeGreaterThan(599);
  expect(numberOf(body, 'switchboard_inbound_oldest_seconds{source="email"}')).toBeGreaterThan(1_199);
  for (const text of [api.org.id, api.other.id, 'ann@example.com', 'refuses the login'])
    expect(body).not.toContain(text);
});

it('the database is asked once for scrapes that follow one another', async () => {
  const before = numberOf((await api.client().get('/metrics')).body, 'switchboard_outbox_rows');
  await sql`insert into outbox (org_id, kind, type, subject_id, payload)
    values (${api.org.id}, 'event', 'contact-created', ${newId()}::uuid, '{}')`.execute(api.db);
  expect(numberOf((await api.client().get('/metrics')).body, 'switchboard_outbox_rows')).toBe(before);
});

it('the connections of the pool are shown', async () => {
  const { body } = await api.client().get('/metrics');
  expect(numberOf(body, 'switchboard_database_connections{state="idle"}')).toBeGreaterThan(0);
  expect(numberOf(body, 'switchboard_database_connections{state="waiting"}')).toBe(0);
});

it('requests that are refused with 429 are counted by their limit', async () => {
  const limited = await startApi({
    databaseUrl: api.databaseUrl,
    isInProcess: true,
    env: { RATE_LIMIT_STANDARD: '1', RATE_LIMIT_REFUSED: '1' },
  });
  const get = () => limited.org.get('/contacts');
  expect([(await get()).status, (await get()).status]).toEqual([200, 429]);
  const refused = () => limited.client('sk_unknown').get('/contacts');
  expect([(await refused()).status, (await refused()).status]).toEqual([401, 429]);
  const { body } = await limited.client().get('/metrics');
  expect(numberOf(body, 'switchboard_limits_reached_total{limit="standard"}')).toBe(1);
  expect(numberOf(body, 'switchboard_limits_reached_total{limit="refused"}')).toBe(1);
  await limited.close();
});

it('requests to providers are counted by connection and outcome, with their time', async () => {
  let status = 200;
  const server = createServer((_request, response) => response.writeHead(status).end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const connection = { orgId: api.org.id, kind: 'llm' as const, settings: { api_key: 'a key' } };
  const http = api.deps.calls.observe(api.deps.egress, connection);
  const url = `http://127.0.0.1:${port}/`;
  await http.request(url);
  status = 500;
  await http.request(url);
  server.close();
  server.closeAllConnections();
  await expect(http.request(url)).rejects.toThrow();
  const { body } = await api.client().get('/metrics');
  expect(numberOf(body, 'switchboard_provider_call_seconds_count{kind="llm",outcome="ok"}')).toBe(1);
  expect(numberOf(body, 'switchboard_provider_call_seconds_count{kind="llm",outcome="failed"}')).toBe(2);
});

it('a worker shows its sends by channel and outcome, and the metrics of Temporal’s SDK by queue', async () => {
  const sink = await startMailSink();
  sink.hangUpAfterNext('bob@example.com');
  sink.refuse('nobody@example.com', [550, '5.1.1 no such user']);
  const port = await anyFreePort();
  const worker = await startProgram('worker', {
    DATABASE_URL: api.databaseUrl,
    JWT_SECRET: api.config.JWT_SECRET,
    SMTP_URL: sink.url,
    DEVELOPMENT: 'true',
    WORKER_OPS_PORT: String(port),
  });
  const read = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    return answer?.ok === true ? answer.text() : undefined;
  };
  await eventually('the worker to be ready', () => read('/readyz'));
  const recipients = ['ann', 'bob', 'nobody'].map((name) => ({ to_email: `${name}@example.com` }));
  const { status } = await api.other.post('/email', {
    from_email: 'hello@acme.example',
    fallback_email_subject: 'Hi',
    fallback_email_body: 'Hi',
    recipients,
  });
  expect(status).toBe(201);
  const send = 'switchboard_send_seconds_count{channel="email",provider="smtp",outcome=';
  const metrics = await eventually('the sends', async () => {
    const text = (await read('/metrics')) ?? '';
    const counts = ['accepted', 'rejected', 'unknown'].map((outcome) => numberOf(text, `${send}"${outcome}"}`));
    return String(counts) === '1,1,1' ? text : undefined;
  });
  await worker.stop();
  await sink.close();
  const waits = metrics
    .split('\n')
    .filter((line) => /^temporal_\w+_schedule_to_start_latency_seconds_count/.test(line));
  expect(waits).toContainEqual(expect.stringMatching(/^temporal_activity_.*task_queue="interactive"/));
  expect(waits).toContainEqual(expect.stringMatching(/^temporal_workflow_task_.*task_queue="interactive"/));
  const names = new Set([...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
  expect([...names]).toEqual(expect.arrayContaining(TEMPORAL_METRICS));
  for (const text of [api.other.id, 'ann@example.com']) expect(metrics.includes(text)).toBe(false);
});

describe('the queues of Temporal', () => {
  const asking = async (address: string) => {
    const env = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: testNamespace() };
    const temporal = connectTemporalHealth({ ...api.config, ...env });
    const asked = await startApi({ databaseUrl: api.databaseUrl, isInProcess: true, deps: { temporal } });
    const read = async () => (await asked.client().get('/metrics')).body as string;
    return { read, org: asked.org, close: () => Promise.all([asked.close(), temporal.close()]) };
  };
  const CRAWLS = '{queue="crawls",tasks="workflow"}';

  it('show a task that no worker takes, how long it has waited, and that it is taken once a worker polls', async () => {
    const { read, org, close } = await asking(temporalAddress());
    const env = { DATABASE_URL: api.databaseUrl, EGRESS_ALLOW: '127.0.0.0/8', FAST_PATHS: 'off' };
    const relay = await startProgram('worker', { ...env, WORKER_QUEUES: 'interactive' });
    expect((await org.post('/crawl', { url: 'http://127.0.0.1:9/' })).status).toBe(201);
    const figure = (metrics: string, name: string) => numberOf(metrics, `switchboard_queue_${name}${CRAWLS}`) ?? 0;
    const waiting = await eventually('the crawl to wait', async () => {
      const metrics = await read();
      const stands = figure(metrics, 'oldest_seconds') > 0 && figure(metrics, 'dispatched_per_second') === 0;
      return stands ? metrics : undefined;
    });
    expect(figure(waiting, 'tasks')).toBeGreaterThan(0);
    expect(waiting).not.toContain('queue="rendering",tasks="workflow"');

    const crawler = await startProgram('worker', { ...env, WORKER_QUEUES: 'crawls,rendering' });
    await eventually('the crawl to be taken', async () => {
      const metrics = await read();
      return figure(metrics, 'dispatched_per_second') > 0 || figure(metrics, 'tasks') === 0; // the rate is a recent one
    });
    await Promise.all([relay.stop(), crawler.stop()]);
    await close();
  });

  it('are no numbers while Temporal is away, and the other metrics are served', async () => {
    const { read, close } = await asking('127.0.0.1:9');
    const metrics = await read();
    for (const name of ['tasks', 'oldest_seconds', 'dispatched_per_second'])
      expect(numberOf(metrics, `switchboard_queue_${name}${CRAWLS}`)).toBeNaN();
    expect(numberOf(metrics, 'switchboard_parked_events')).toBeGreaterThanOrEqual(0);
    await close();
  });
});

describe('the board and the alerts', () => {
  const read = (path: string) => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');
  const names = async () => {
    const { body } = await api.client().get('/metrics');
    return new Set([...body.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name).concat(TEMPORAL_METRICS));
  };
  const namedIn = (text: string) =>
    [...text.matchAll(/\b(?:switchboard|temporal|http|process|nodejs)_\w+/g)].map(([name]) =>
      name.replace(/_(?:bucket|count|sum)$/, ''),
    );

  it.each(['grafana/switchboard.json', 'prometheus/switchboard.rules.yml', 'prometheus/switchboard.rules.test.yml'])(
    '%s names only metrics that the programs have',
    async (path) => {
      const known = await names();
      const named = namedIn(read(path));
      expect(named.length).toBeGreaterThan(5);
      expect(named.filter((name) => !known.has(name))).toEqual([]);
    },
  );

  it('are eleven alerts, each of which has a remedy in the documents and a case that fires it', () => {
    const alerts = ALERT_RULES.map(({ alert }) => alert);
    expect(new Set(alerts).size).toBe(11);
    const { tests } = load(read('prometheus/switchboard.rules.test.yml')) as RuleTests;
    const cases = tests.flatMap(({ alert_rule_test }) => alert_rule_test);
    const document = read('../docs/observability.md');
    for (const alert of alerts) {
      expect(document).toContain(`| \`${alert}\` |`);
      const fires = cases.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts.length > 0);
      expect({ alert, fires: fires.toSorted() }).toEqual({ alert, fires: [false, true] });
    }
  });

  (hasPromtool() ? it : it.skip)('fire as their tests say, by promtool if it is installed', () => {
    const folder = fileURLToPath(new URL('../../deploy/prometheus/', import.meta.url));
    expect(failureOf(`${folder}switchboard.rules.test.yml`)).toBeUndefined();
  });
});
