import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { connect, type Db } from '../../../src/db/connect.ts';
import { startChild, waitUntilReady } from '../../../src/dev/child.ts';
import { anyFreePort } from '../../../src/dev/ports.ts';
import { startPostgres } from '../../../src/dev/postgres.ts';
import { built, part, ToolMissing } from '../../../test/support/built-tools.ts';
import { processorMsOf } from '../../support/processor-time.ts';
import { EMAIL } from '../../support/seed.ts';
import type { PeerPlace } from './runs.ts';

const { LISTMONK_SOURCE } = process.env;
const CONNECTIONS = 20;
const DATABASE = 'listmonk';
const PASSWORD = 'bench';
const START_LIMIT_MS = 60_000;
const SETTLE_MS = 1_500;
/** listmonk looks for campaigns every five seconds. */
const SENDING_LIMIT_MS = 300_000;

/** Rates are of mails a second: from the start of a campaign, and from the first mail. The time is that of one mail, in ms. */
export interface PeerCampaign {
  rate: number;
  rateOnceRunning: number;
  cpuMs: number;
}

export interface Listmonk {
  run(contacts: number): Promise<PeerCampaign>;
}

/** Builds listmonk from a checkout of its source, without its pages. Go fetches what it needs. */
const build = (source: string, version: string): Promise<string> =>
  built(`listmonk-${version}`, 'listmonk', async (folder) => {
    // Its pages are not built. It only looks whether their folder exists.
    const flags = ['-ldflags', `-X main.frontendDir=${join(source, 'static/public')}`];
    await part('listmonk', 'go', ['build', '-C', source, ...flags, '-o', join(folder, 'listmonk'), './cmd']);
  });

/** Returns the checkout that LISTMONK_SOURCE names, with its commit. */
async function findSource(): Promise<{ source: string; version: string }> {
  if (LISTMONK_SOURCE === undefined || !existsSync(join(LISTMONK_SOURCE, 'cmd')))
    throw new ToolMissing(
      'LISTMONK_SOURCE does not name a checkout of github.com/knadh/listmonk (v6.2.0), to build by Go',
    );
  const version = await part('listmonk', 'git', ['-C', LISTMONK_SOURCE, 'rev-parse', '--short=12', 'HEAD']);
  return { source: LISTMONK_SOURCE, version: version.trim() };
}

/** Builds and starts listmonk on its own Postgres, as it comes but for its limits: it sends to the sink, by 20 connections. */
export async function startListmonk(
  { folder, logFile, guard }: PeerPlace,
  { smtpUrl, isMailTaken }: { smtpUrl: string; isMailTaken: () => Promise<boolean> },
): Promise<Listmonk> {
  const { source, version } = await findSource();
  const program = join(await build(source, version), 'listmonk');
  const port = await anyFreePort();
  const postgres = await startPostgres({
    folder: join(folder, 'postgres'),
    port,
    password: PASSWORD,
    database: DATABASE,
    logFile,
    guard,
  });
  const address = `127.0.0.1:${await anyFreePort()}`;
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    LISTMONK_app__address: address,
    LISTMONK_db__host: decodeURIComponent(new URL(postgres.url).hostname),
    LISTMONK_db__port: String(port),
    LISTMONK_db__user: 'postgres',
    LISTMONK_db__password: PASSWORD,
    LISTMONK_db__database: DATABASE,
    LISTMONK_db__ssl_mode: 'disable',
    LISTMONK_db__max_open: '25',
    LISTMONK_db__max_idle: '25',
    LISTMONK_db__max_lifetime: '300s',
  };
  const flags = ['--config=', '--static-dir=static', '--i18n-dir=i18n'];
  await part('listmonk', program, [...flags, '--install', '--yes'], { cwd: source, env });
  const { db } = connect(postgres.url, { poolSize: 2 });
  await configure(db, new URL(smtpUrl));
  const server = await startChild(program, flags, { logFile, guard, cwd: source, env });
  await waitUntilReady(server, logFile, () => fetch(`http://${address}/health`), START_LIMIT_MS);
  return { run: (contacts) => runCampaign(db, [postgres.pid, server.pid], { contacts, isMailTaken }) };
}

async function configure(db: Db, { hostname, port }: URL): Promise<void> {
  const server = {
    ...{ enabled: true, host: hostname, port: Number(port), auth_protocol: 'none', username: '', password: '' },
    ...{ hello_hostname: '', max_conns: CONNECTIONS, idle_timeout: '15s', wait_timeout: '5s', max_msg_retries: 2 },
    ...{ tls_type: 'none', tls_skip_verify: false, email_headers: [] },
  };
  const settings = {
    smtp: [server],
    'app.concurrency': CONNECTIONS,
    'app.message_rate': 1_000_000,
    'app.check_updates': false,
  };
  await sql`
    update settings set value = new.value from jsonb_each(${JSON.stringify(settings)}::jsonb) as new where settings.key = new.key
  `.execute(db);
}

/** Sends our bench's e-mail to new contacts of a new list. */
async function runCampaign(
  db: Db,
  pids: number[],
  { contacts, isMailTaken }: { contacts: number; isMailTaken: () => Promise<boolean> },
): Promise<PeerCampaign> {
  const campaignId = await seedCampaign(db, contacts);
  const [before, begun] = [processorMsOf(pids), performance.now()];
  await sql`update campaigns set status = 'running' where id = ${campaignId}`.execute(db);
  while (!(await isMailTaken())) await sleep(1);
  const running = performance.now();
  await untilFinished(db, campaignId, contacts);
  const ended = performance.now();
  await sleep(SETTLE_MS);
  return {
    rate: (contacts * 1_000) / (ended - begun),
    rateOnceRunning: (contacts * 1_000) / (ended - running),
    cpuMs: (processorMsOf(pids) - before) / contacts,
  };
}

/** Returns the id of a campaign that is not started. */
async function seedCampaign(db: Db, contacts: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with list as (
      insert into lists (uuid, name, type) values (gen_random_uuid(), 'Bench', 'private') returning id
    ), people as (
      insert into subscribers (uuid, email, name)
      select gen_random_uuid(), 'person-' || gen_random_uuid() || '@customers.example', 'Person ' || n
      from generate_series(1, ${contacts}::int) as n
      returning id
    ), members as (
      insert into subscriber_lists (subscriber_id, list_id, status) select people.id, list.id, 'confirmed' from people, list
    ), campaign as (
      insert into campaigns (uuid, name, subject, from_email, body, content_type, messenger, template_id)
      select gen_random_uuid(), 'Bench', ${EMAIL.email_subject}, ${EMAIL.from_email}, ${EMAIL.email_body}, 'html', 'email',
        (select id from templates where is_default)
      returning id
    ), target as (
      insert into campaign_lists (campaign_id, list_id, list_name) select campaign.id, list.id, 'Bench' from campaign, list
    )
    select id from campaign
  `.execute(db);
  await sql`vacuum analyze`.execute(db);
  return rows[0]?.id as number;
}

async function untilFinished(db: Db, campaignId: number, contacts: number): Promise<void> {
  const giveUpAt = performance.now() + SENDING_LIMIT_MS;
  for (;;) {
    const { rows } = await sql<{ status: string; sent: number }>`
      select status, sent from campaigns where id = ${campaignId}`.execute(db);
    if (rows[0]?.status === 'finished' && rows[0].sent === contacts) return;
    if (performance.now() > giveUpAt) throw new Error(`listmonk has sent ${rows[0]?.sent} of ${contacts}`);
    await sleep(20);
  }
}
