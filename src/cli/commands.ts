import { parseArgs } from 'node:util';
import { z } from 'zod';
import { elementAt } from '../collections/checked-access.ts';
import { type Config, InvalidConfiguration, loadConfig } from '../config.ts';
import { connect, type Db, type Trx } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { readSendingState } from '../deliveries/pause/service.ts';
import { codeOf, DomainError, messageOf, notFound } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { ImportQuery } from '../imports/schema.ts';
import { issuePartnerKey, revokeKeyAsOperator } from '../keys/service.ts';
import { createTokens } from '../keys/tokens.ts';
import { listKeyUses, reencryptSecrets } from '../operations/key-rotation/service.ts';
import {
  createOperatorLink,
  endOperatorSessions,
  issueOperatorKey,
  listOperatorKeys,
  revokeOperatorKey,
} from '../operations/operator/access.service.ts';
import {
  AT_COMMAND_LINE,
  pauseAsOperator,
  recordAct,
  releaseAsOperator,
  resumeAsOperator,
} from '../operations/operator/actions.service.ts';
import { listOrgs } from '../orgs/service.ts';
import { listParkedEvents } from '../outbox/interruptions.ts';
import { allowFrom, createPartner, deactivatePartner, listAllPartners } from '../partners/service.ts';
import { runAsAuditor } from '../processes/current-work.ts';
import { createStorage } from '../providers/storage/storage.ts';
import { compareFiles } from '../repair/files.ts';
import { repair as repairWorkflows } from '../repair/repair.ts';
import { RESTORED, type Restored, repairRestored } from '../repair/restored.ts';
import { createSecrets } from '../secrets.ts';
import { linkForMember } from '../sign-in/links.service.ts';
import { connectTemporal } from '../temporal/client.ts';
import { wakeStalledWebhooks } from '../webhooks/maintenance.service.ts';
import { examineSetup } from './doctor/examine-setup.ts';
import { type Finding, pageOf } from './doctor/findings.ts';
import { importFile } from './import/import-file.ts';

const HELP = `Usage: npm run cli -- <command> [options]

  partner create --name <name> [--allow-ip <cidr>]... [--ai-instructions <text>]
                                    make a partner and show its API key, this once
  partner list                      show all partners
  partner deactivate <partner-id>   refuse all keys of a partner from now on
  partner allow-ip <partner-id> <cidr>...
                                    accept a partner's calls from these networks only
  partner allow-ip <partner-id> --any
                                    accept a partner's calls from anywhere again
  key revoke <key-id>               revoke a key of an org or a partner
  org list [--partner <partner-id>] show all orgs
  login --org <org-id> --email <address>
                                    show a link that signs a member in, once and within 15 minutes
  operator create --name <name>     make a key for /operator/v1, the state of the whole installation, and show it, this once
  operator list                     show the operator's keys
  operator revoke <key-id>          revoke a key of the operator
  operator login [--name <name>]    show a link to the operator's pages, once and within 15 minutes
  operator logout                   end all sessions of the operator's pages, and their links
  repair [--dry-run]                compare rows that wait for a workflow with Temporal, and start the workflows that
                                    are lost; --dry-run only shows them
  repair --restored <postgres|temporal|both> [--lost-until <time>] [--dry-run]
                                    after a restore, with all programs stopped: end or pause what may have been sent or
                                    called since the backup, and set the Schedules; --lost-until is when the programs
                                    last worked on what was lost, by default now
  sending pause [--reason <text>]   send no messages and no webhooks, of any org, until it is resumed
  sending resume                    send again, within a minute
  sending status                    show whether sending is paused, and what waits
  files check [--delete]            compare the files with the database, and show those that one of them lacks;
                                    --delete deletes files of a folder that no row has, if they are older than a day
  secrets status                    show how many stored secrets each key of SECRET_KEYS has encrypted, and which key is unused
  secrets reencrypt                 encrypt all stored secrets by the first key of SECRET_KEYS, and show the same;
                                    it can be interrupted and repeated
  import <source> <resource> <file> [--account <name>] [--report <file>]
                                    import an export of chatwoot, zendesk or hubspot: contacts, conversations or
                                    help_center; needs SWITCHBOARD_URL and SWITCHBOARD_KEY, an API key of the org, and
                                    not the other variables; it can be interrupted and repeated
  doctor                            check the whole setup and show what is wrong, with the remedy; exit code 1 on a fault
  outbox parked                     show events that are parked, as each try ended the worker
  outbox release <event-id>         have a parked event handled again

  --json                            print JSON
  --help                            print this text

It reads the same environment variables as the api. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.`;

/** Who the audit names for what a command changes. */
const OPERATOR = { kind: 'operator', id: null, name: null } as const;
/** Any that the database can have. */
const EVENT_ID = /^\d{1,18}$/;

const OPTIONS = {
  name: { type: 'string' },
  'allow-ip': { type: 'string', multiple: true },
  'ai-instructions': { type: 'string' },
  any: { type: 'boolean' },
  partner: { type: 'string' },
  org: { type: 'string' },
  email: { type: 'string' },
  account: { type: 'string' },
  report: { type: 'string' },
  'dry-run': { type: 'boolean' },
  restored: { type: 'string' },
  'lost-until': { type: 'string' },
  reason: { type: 'string' },
  delete: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Options = ReturnType<typeof parse>['values'];
/** One object or a list of objects to print. */
type Output = object | object[];
type Command = (context: { db: Db; config: Config }, args: string[], options: Options) => Promise<Output>;

class UsageError extends Error {}

/** Some of what a command was to do has failed. Its output is printed. */
class PartlyDone extends Error {
  readonly output: Output;

  constructor(message: string, output: Output) {
    super(message);
    this.output = output;
  }
}

const COMMANDS: Record<string, Command> = {
  async 'partner create'({ db, config }, args, { name, 'allow-ip': allowed_ips, 'ai-instructions': ai_instructions }) {
    expectArgs(args, 0);
    if (!name) throw new UsageError('partner create needs --name <name>');
    return inTransaction(db, async (trx) => {
      const partner = await createPartner(trx, { name, allowed_ips, ai_instructions });
      await recordAct(trx, AT_COMMAND_LINE, { action: 'partner_created', ref: partner.id, detail: name });
      const { api_key_id, api_key } = await issuePartnerKey(
        trx,
        createTokens(config.signingSecrets),
        partner.id,
        'Default',
      );
      return { partner_id: partner.id, name, allowed_ips: partner.allowed_ips, api_key_id, api_key };
    });
  },
  async 'partner list'({ db }, args) {
    expectArgs(args, 0);
    return listAllPartners(db);
  },
  async 'partner deactivate'({ db }, args) {
    const ref = elementAt(expectArgs(args, 1, '<partner-id>'), 0);
    return recorded(db, { action: 'partner_deactivated', ref }, (trx) => deactivatePartner(trx, ref));
  },
  async 'partner allow-ip'({ db }, [partnerId, ...cidrs], { any }) {
    if (partnerId === undefined || cidrs.length > 0 === (any === true)) {
      throw new UsageError('partner allow-ip needs <partner-id> and either CIDRs or --any');
    }
    const detail = any === true ? 'any' : cidrs.join(', ');
    return recorded(db, { action: 'partner_networks_changed', ref: partnerId, detail }, (trx) =>
      allowFrom(trx, partnerId, cidrs),
    );
  },
  async 'key revoke'({ db }, args) {
    const [keyId = ''] = expectArgs(args, 1, '<key-id>');
    if (!isUuid(keyId)) throw notFound('key');
    await recorded(db, { action: 'customer_key_revoked', ref: keyId }, (trx) => revokeKeyAsOperator(trx, keyId));
    return { key_id: keyId, revoked: true };
  },
  async 'org list'({ db }, args, { partner }) {
    expectArgs(args, 0);
    if (partner !== undefined && !isUuid(partner)) throw notFound('partner');
    return listOrgs(db, partner);
  },
  async login({ db, config }, args, { org, email }) {
    expectArgs(args, 0);
    if (!org || !email) throw new UsageError('login needs --org <org-id> and --email <address>');
    return recorded(db, { action: 'member_link_created', ref: org }, (trx) =>
      linkForMember(trx, config.dashboardUrl, { orgId: org, email }),
    );
  },
  async 'operator create'({ db }, args, { name }) {
    expectArgs(args, 0);
    if (!name) throw new UsageError('operator create needs --name <name>');
    return issueOperatorKey(db, AT_COMMAND_LINE, name);
  },
  async 'operator list'({ db }, args) {
    expectArgs(args, 0);
    return listOperatorKeys(db);
  },
  async 'operator revoke'({ db }, args) {
    const [keyId = ''] = expectArgs(args, 1, '<key-id>');
    await revokeOperatorKey(db, AT_COMMAND_LINE, keyId);
    return { key_id: keyId, revoked: true };
  },
  async 'operator login'({ db, config }, args, { name = 'Operator' }) {
    expectArgs(args, 0);
    return createOperatorLink(db, AT_COMMAND_LINE, config.dashboardUrl, name);
  },
  async 'operator logout'({ db }, args) {
    expectArgs(args, 0);
    return { ended_sessions: await endOperatorSessions(db, AT_COMMAND_LINE) };
  },
  async 'secrets status'({ db, config }, args) {
    expectArgs(args, 0);
    return listKeyUses(db, createSecrets(config.SECRET_KEYS));
  },
  async 'secrets reencrypt'({ db, config }, args) {
    expectArgs(args, 0);
    const secrets = createSecrets(config.SECRET_KEYS);
    await recordAct(db, AT_COMMAND_LINE, { action: 'reencryption_started' });
    const done = await reencryptSecrets(db, secrets);
    const output = [done, ...(await listKeyUses(db, secrets))];
    if (done.unreadable > 0) throw new PartlyDone(`The secrets of ${done.unreadable} rows cannot be read`, output);
    return output;
  },
  async 'outbox parked'({ db }, args) {
    expectArgs(args, 0);
    return listParkedEvents(db);
  },
  async 'outbox release'({ db }, args) {
    const [eventId = ''] = expectArgs(args, 1, '<event-id>');
    if (!EVENT_ID.test(eventId)) throw notFound('parked event');
    await releaseAsOperator(db, AT_COMMAND_LINE, eventId);
    return { event_id: eventId, released: true };
  },
  async 'sending pause'({ db }, args, { reason }) {
    expectArgs(args, 0);
    await pauseAsOperator(db, AT_COMMAND_LINE, reason);
    return readSendingState(db);
  },
  async 'sending resume'({ db }, args) {
    expectArgs(args, 0);
    await resumeAsOperator(db, AT_COMMAND_LINE);
    const state = await readSendingState(db);
    await wakeStalledWebhooks(db, 0);
    return state;
  },
  async 'sending status'({ db }, args) {
    expectArgs(args, 0);
    return readSendingState(db);
  },
  async 'files check'({ db, config }, args, { delete: deletes = false }) {
    expectArgs(args, 0);
    const storage = createStorage(config);
    if (deletes) await recordAct(db, AT_COMMAND_LINE, { action: 'file_deletion_started' });
    try {
      return await compareFiles(db, storage, { deletes });
    } finally {
      await storage.close();
    }
  },
  async repair({ db, config }, args, { 'dry-run': isDryRun = false, ...options }) {
    expectArgs(args, 0);
    const restored = restoredOf(options);
    if (!isDryRun)
      await recordAct(db, AT_COMMAND_LINE, { action: 'repair_started', detail: restored?.restored ?? null });
    const temporal = connectTemporal(config);
    try {
      const mismatches =
        restored === undefined
          ? await repairWorkflows(db, temporal.client, { isDryRun })
          : await repairRestored(db, temporal.client, { ...restored, isDryRun });
      const failed = mismatches.filter(({ error }) => error !== undefined).length;
      if (failed > 0) throw new PartlyDone(`${failed} of ${mismatches.length} could not be mended`, mismatches);
      return mismatches;
    } finally {
      await temporal.close();
    }
  },
};

/** Does what an operator does, and records it in the same transaction. */
const recorded = <Result>(db: Db, act: Parameters<typeof recordAct>[2], work: (trx: Trx) => Promise<Result>) =>
  inTransaction(db, async (trx) => {
    const result = await work(trx);
    await recordAct(trx, AT_COMMAND_LINE, act);
    return result;
  });

/** Reads what was restored, and until when the programs worked on what was lost. */
function restoredOf({ restored, 'lost-until': until }: Options): { restored: Restored; lostUntil: Date } | undefined {
  if (restored === undefined) {
    if (until !== undefined) throw new UsageError('--lost-until belongs to --restored');
    return undefined;
  }
  const what = RESTORED.find((name) => name === restored);
  if (what === undefined) throw new UsageError(`--restored is one of ${RESTORED.join(', ')}`);
  const time = z.iso.datetime({ offset: true }).safeParse(until ?? new Date().toISOString());
  if (!time.success || Date.parse(time.data) > Date.now())
    throw new UsageError('--lost-until is a time in the past, such as 2026-11-28T09:30:00Z');
  return { restored: what, lostUntil: new Date(time.data) };
}

/** What a command gets from its process, and what it prints to. */
interface CommandLine {
  env: Record<string, string | undefined>;
  print(text: string): void;
  printError(text: string): void;
}

/** Runs a command of the operator. Returns the exit code: 0 for success, 1 for a refusal or failure, 2 for wrong usage. */
export async function runCommand(argv: string[], { env, print, printError }: CommandLine): Promise<number> {
  let isJson = false;
  try {
    const { values, positionals } = parse(argv);
    isJson = values.json === true;
    const [noun, verb, ...args] = positionals;
    if (values.help === true) {
      print(HELP);
      return 0;
    }
    if (noun === 'doctor' && verb === undefined) return await runDoctor({ env, print, printError }, isJson);
    if (noun === 'import') return await runImport({ env, print, printError }, positionals.slice(1), values);
    const command = COMMANDS[verb === undefined ? `${noun}` : `${noun} ${verb}`];
    if (command === undefined)
      throw new UsageError(noun === undefined ? 'No command' : `There is no command "${positionals.join(' ')}"`);
    const output = await runAsAuditor(OPERATOR, () => withDatabase(env, (context) => command(context, args, values)));
    print(textOf(output, isJson));
    return 0;
  } catch (error) {
    if (error instanceof UsageError || isParseError(error)) {
      printError(`${messageOf(error)}\n\n${HELP}`);
      return 2;
    }
    if (error instanceof PartlyDone) print(textOf(error.output, isJson));
    printError(error instanceof DomainError ? error.message : `Failed: ${messageOf(error)}`);
    return 1;
  }
}

/** Imports a file by the api, of this or of any other machine. */
async function runImport({ env, print, printError }: CommandLine, args: string[], options: Options): Promise<number> {
  const [source, resource, path = ''] = expectArgs(args, 3, '<source> <resource> <file>');
  const { SWITCHBOARD_URL: url, SWITCHBOARD_KEY: key } = env;
  if (!url || !URL.canParse(url) || !key)
    throw new UsageError(
      'import needs SWITCHBOARD_URL, the address of the api, and SWITCHBOARD_KEY, an API key of the org',
    );
  const wanted = ImportQuery.safeParse({ source, resource, account: options.account });
  if (!wanted.success) throw new UsageError(z.prettifyError(wanted.error));
  await importFile({
    path,
    target: { url, key, ...wanted.data },
    report: options.report,
    print,
    printProgress: printError,
  });
  return 0;
}

/** Checks the setup, also one whose settings are not valid. */
async function runDoctor({ env, print }: CommandLine, isJson: boolean): Promise<number> {
  const findings = await examine(env);
  print(isJson ? JSON.stringify(findings, null, 2) : pageOf(findings));
  return findings.some(({ state }) => state === 'fault') ? 1 : 0;
}

async function examine(env: CommandLine['env']): Promise<Finding[]> {
  try {
    return await examineSetup(loadConfig(env));
  } catch (error) {
    if (!(error instanceof InvalidConfiguration)) throw error;
    const remedy = 'correct it: docs/configuration.md';
    return error.problems.map((found) => ({ check: 'settings', state: 'fault', found, remedy }));
  }
}

function parse(argv: string[]) {
  return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true, strict: true });
}

const isParseError = (error: unknown) => codeOf(error)?.startsWith('ERR_PARSE_ARGS') === true;

async function withDatabase<T>(
  env: CommandLine['env'],
  work: (context: { db: Db; config: Config }) => Promise<T>,
): Promise<T> {
  const config = loadConfig(env);
  const { db, close } = connect(config.DATABASE_URL, { poolSize: 4 });
  try {
    return await work({ db, config });
  } finally {
    await close();
  }
}

function expectArgs(args: string[], count: number, what = 'no argument'): string[] {
  if (args.length !== count) throw new UsageError(`This command takes ${what}`);
  return args;
}

function textOf(output: Output, isJson: boolean): string {
  if (isJson) return JSON.stringify(output, null, 2);
  const items = Array.isArray(output) ? output : [output];
  return items.length === 0 ? 'none' : items.map(describe).join('\n\n');
}

/** Formats one field per line, aligned. */
function describe(item: object): string {
  const fields = Object.entries(item).filter(([, value]) => value !== null);
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${readable(name, value)}`).join('\n');
}

function readable(name: string, value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value) && value.length === 0) return name === 'allowed_ips' ? 'any' : 'none';
  if (Array.isArray(value)) return value.join(', ');
  return String(value).replace(/\p{Cc}/gu, '\uFFFD'); // names come from others: none may control the terminal
}
