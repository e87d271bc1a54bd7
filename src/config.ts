import { isIP, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { MODEL } from './embedder/model-folder.ts';
import { createLogger } from './logging/logger.ts';
import { DomainName, EmailAddress } from './schemas/parts.ts';
import { readSettingFiles } from './setting-files.ts';
import type { SigningSecrets } from './signatures.ts';
import { TASK_QUEUES } from './temporal/contract.ts';
import { withoutTrailingSlashes } from './text/urls.rules.ts';

const port = z.coerce.number().int().min(0).max(65_535);
/** What a list of secrets cannot have as it is. */
const ESCAPED = /%(?:2C|20|25)/gi;
const signingSecret = z.string().min(32, 'must have at least 32 characters');
const perMinute = z.coerce.number().int().min(1);
/** A base URL for paths. */
const baseUrl = z.url().transform(withoutTrailingSlashes);
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

const isNetwork = (text: string) => ipaddr.isValid(text) || ipaddr.isValidCIDR(text);
const cidrs = list.refine((items) => items.every(isNetwork), 'must be CIDRs such as 10.0.0.0/8, separated by commas');
/** Accepts `file:///folder` or `s3://bucket/prefix?region=…&endpoint=…`. */
function isStorageUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  const { protocol, hostname, pathname, search, searchParams } = url;
  if (protocol === 'file:') return hostname === '' && pathname !== '/' && search === '';
  const endpoint = searchParams.get('endpoint');
  const isHttp = endpoint === null || /^https?:$/.test(URL.parse(endpoint)?.protocol ?? '');
  const isKnown = [...searchParams.keys()].every((name) => name === 'region' || name === 'endpoint');
  return (
    protocol === 's3:' && /^[a-z0-9][a-z0-9.-]+$/.test(hostname) && STORAGE_PREFIX.test(pathname) && isHttp && isKnown
  );
}
/** Characters used without encoding in a URL and a signature. */
const STORAGE_PREFIX = /^(\/[\w.-]+)*\/?$/;
/** Accepts an IP address, with the port if it is not 53. IPv6 with a port: `[::1]:5353`. */
function isDnsServer(text: string): boolean {
  const [, bracketed, plain, port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const isAddress = isIP(text) !== 0 || isIPv6(bracketed ?? '') || isIPv4(plain ?? '');
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535;
}
const dnsServers = list.refine(
  (items) => items.every(isDnsServer),
  'must be addresses such as 9.9.9.9 or 127.0.0.1:5353, separated by commas',
);
/** Returns the queues named by a list, or all if it is absent. */
const taskQueues = list
  .pipe(z.array(z.enum(TASK_QUEUES, `must be some of ${TASK_QUEUES.join(', ')}, separated by commas`)).min(1))
  .default([...TASK_QUEUES]);
const KEY_RING = /^[\w-]+:[A-Za-z0-9+/_-]{43}=?(\s*,\s*[\w-]+:[A-Za-z0-9+/_-]{43}=?)*$/;

/** Every setting, from the environment. A test compares the table of docs/configuration.md with these descriptions. */
export const settings = {
  DATABASE_URL: z.string().min(1).describe('Postgres connection string'),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(4)
    .max(500)
    .default(20)
    .describe(
      'Most connections of a process’s pool, which is smaller where Postgres does not allow as many for DATABASE_PROCESSES such pools; a process has up to 7 more',
    ),
  DATABASE_PROCESSES: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .default(3)
    .describe('Number of api, worker and crawler processes that share the database, for the size of their pools'),
  TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233').describe('Temporal frontend, host:port'),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Temporal namespace'),
  WORKER_QUEUES: taskQueues.describe(
    'Task queues that a worker polls, of interactive, bulk, crawls, rendering, embedding and webhooks; only one with `interactive` relays events, receives mail and cleans up',
  ),
  WORKER_DEPLOYMENT: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'must be a name of letters, digits, - and _')
    .optional()
    .describe(
      'Name of the Worker Deployment of Temporal that the workers belong to: they take work once their version is its current one. Workers are not versioned when absent',
    ),
  WORKER_BUILD_ID: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must be a name of letters, digits, ., - and _')
    .optional()
    .describe(
      'Version of a worker within WORKER_DEPLOYMENT, the same for all workers of one build; the version of the product when absent',
    ),
  WORKFLOW_BUNDLE: z
    .string()
    .optional()
    .describe(
      'File with the workflow code as `node worker/bundler.ts <file>` writes it; the worker bundles it at each start when absent',
    ),
  HOST: z
    .string()
    .default('0.0.0.0')
    .describe('Address that the api, the mail receiver and a worker’s /readyz listen on'),
  PORT: port.default(8080).describe('Port of the api'),
  OPS_PORT: port.optional().describe('Port of /healthz, /readyz and /metrics of the api; PORT when absent'),
  WORKER_OPS_PORT: port
    .optional()
    .describe('Port of /healthz, /readyz and /metrics of a worker, at HOST; none when absent'),
  DRAIN_SECONDS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300)
    .default(5)
    .describe(
      'Seconds for which an api that is to stop still takes requests while its /readyz answers 503: as long as a load balancer needs to notice',
    ),
  STOP_GRACE_SECONDS: z.coerce
    .number()
    .int()
    .min(10)
    .max(3_600)
    .default(75)
    .describe(
      'Seconds from SIGTERM to SIGKILL: a program that is to stop lets requests and activities finish until shortly before. The default is more than the 60 s of an HTTP action',
    ),
  PUBLIC_URL: baseUrl.default('http://127.0.0.1:8080').describe('Address under which the outside reaches the api'),
  DASHBOARD_URL: baseUrl.optional().describe('Address of the console in login links; PUBLIC_URL when absent'),
  TEMPORAL_UI_URL: baseUrl.optional().describe('Address of the Temporal UI, which admins get in GET /me'),
  TRUSTED_PROXIES: cidrs.default([]).describe('CIDRs of proxies whose X-Forwarded-For is believed, comma-separated'),
  JWT_SECRET: signingSecret.describe('Secret that signs keys, links and reply addresses, at least 32 characters'),
  JWT_SECRETS_ACCEPTED: list
    .transform((secrets) => secrets.map((secret) => secret.replace(ESCAPED, decodeURIComponent)))
    .pipe(z.array(signingSecret))
    .default([])
    .describe(
      'Further secrets whose signatures are accepted, comma-separated: the next JWT_SECRET before it signs, and earlier ones. In a secret, a comma is written `%2C`, a blank `%20` and a percent sign `%25`',
    ),
  SECRET_KEYS: z
    .string()
    .regex(KEY_RING, 'must be kid:base64 of 32 bytes, separated by commas')
    .describe('Key ring for secrets at rest: `kid:base64` of 32 bytes, comma-separated, the first one encrypts'),
  RATE_LIMIT_STORE: z
    .enum(['postgres', 'memory'])
    .default('postgres')
    .describe('`postgres` counts over all api processes, `memory` each process by itself'),
  RATE_LIMIT_STANDARD: perMinute.default(100).describe('Requests a minute an org, standard endpoints'),
  RATE_LIMIT_STREAMING: perMinute
    .default(1000)
    .describe('Requests a minute an org, streaming endpoints; and an address, links to files'),
  RATE_LIMIT_MEMBER: perMinute.default(600).describe('Requests a minute a member who is signed in'),
  RATE_LIMIT_ASSISTANT: perMinute.default(60).describe('Calls of tools a minute an API key, by assistants (`/mcp`)'),
  RATE_LIMIT_PARTNER: perMinute.default(100).describe('Requests a minute a partner'),
  RATE_LIMIT_ADDRESS: perMinute.default(300).describe('Requests a minute an address, public pages'),
  RATE_LIMIT_HELP: perMinute.default(300).describe('Requests a minute an address, pages of help centers'),
  RATE_LIMIT_REFUSED: perMinute
    .default(100)
    .describe('Requests with a wrong key or token a minute an address; further ones get a 429'),
  RATE_LIMIT_LOGIN_LINKS: perMinute.default(30).describe('Login links a minute a partner'),
  RATE_LIMIT_SIGN_IN: perMinute
    .default(30)
    .describe('Mails with login links an hour that an e-mail address may ask for, and that a network address may'),
  WRITE_QUOTA_BYTES: z.coerce
    .number()
    .int()
    .min(10_000)
    .max(Number.MAX_SAFE_INTEGER)
    .default(10_000_000_000)
    .describe('Bytes that an org, and an anonymous address, may write a day; further requests that write get a 429'),
  RUN_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_650)
    .default(90)
    .describe('Days for which ended runs of workflows are kept, with their steps'),
  AUDIT_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(36_500)
    .default(730)
    .describe('Days for which the audit keeps who changed what, and what operators did'),
  EGRESS_ALLOW: cidrs
    .default([])
    .describe('CIDRs of private networks that customers’ settings may reach, comma-separated'),
  CRAWL_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(200)
    .describe('Milliseconds between two requests of crawls to a host whose robots.txt does not say'),
  CHROMIUM_PATH: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Chromium of a worker, which renders pages made by scripts; the one at a usual path when absent, `none` for none',
    ),
  CHROMIUM_SANDBOX: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether Chromium runs in its own sandbox; `off` only where it cannot, as for root, and the container is the sandbox',
    ),
  DNS_SERVERS: dnsServers
    .default([])
    .describe(
      'Resolvers that sending domains are looked up with, `ip` or `ip:port`, comma-separated; the system’s when absent',
    ),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must begin with smtp:// or smtps://' })
    .optional()
    .describe(
      'Default mail server, `smtp://user:password@host:port`. A password is sent encrypted only, unless `?allow_unencrypted_login=true` follows',
    ),
  SIGN_IN_FROM: EmailAddress.optional().describe(
    'Sender of mails with login links, which go out by SMTP_URL; `sign-in@` and the host of PUBLIC_URL when absent',
  ),
  INBOUND_DOMAIN: DomainName.optional().describe(
    'Domain at which the worker takes bounces, replies and mail to inboxes; none when absent',
  ),
  INBOUND_SMTP_PORT: port.optional().describe('Port at which it does: where the domain’s MX leads'),
  INBOUND_TLS_CERT: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File with the certificate, as PEM, that STARTTLS is offered with at that port; read again within an hour after a change. No STARTTLS when absent',
    ),
  INBOUND_TLS_KEY: z.string().min(1).optional().describe('File with its private key, as PEM'),
  MAX_INBOUND_MAIL_MB: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(25)
    .describe('Largest e-mail taken, in MB, by that port and by POST /email/inbound; it is announced as SIZE'),
  MAIL_AUTHSERV_IDS: list
    .transform((ids) => ids.map((id) => id.toLowerCase()))
    .default([])
    .describe(
      'Names of mail servers in front of that port whose Authentication-Results are believed, comma-separated; they must remove such fields of others. When absent, SPF, DKIM and DMARC are checked here',
    ),
  STORAGE_URL: z
    .string()
    .refine(isStorageUrl, 'must be file:///folder or s3://bucket/prefix?region=…&endpoint=…')
    .optional()
    .describe(
      'Where files are kept: `file:///folder`, or `s3://bucket/prefix?region=…&endpoint=…`; no files are taken when absent',
    ),
  AWS_ACCESS_KEY_ID: z.string().optional().describe('Key of the S3 storage'),
  AWS_SECRET_ACCESS_KEY: z.string().optional().describe('Its secret'),
  AWS_SESSION_TOKEN: z.string().optional().describe('Its session, where the key is a temporary one'),
  EMBEDDING_MODEL: z
    .enum([MODEL, 'none'])
    .default(MODEL)
    .describe(
      'Model that compares questions with the knowledge of orgs that have connected none; `none` compares them by words alone',
    ),
  MODELS_FOLDER: z
    .string()
    .min(1)
    .optional()
    .describe('Folder of the models that `npm run models` fetches; `.data/models` when absent'),
  FAREHARBOR_BASE_URL: baseUrl.default('https://fareharbor.com').describe('Base URL of the tour-booking API'),
  HUBSPOT_CLIENT_ID: z.string().optional().describe('Client id of the HubSpot app that orgs connect by OAuth'),
  HUBSPOT_CLIENT_SECRET: z.string().optional().describe('Its secret, which signs what HubSpot posts to /crm/webhook'),
  HUBSPOT_BASE_URL: baseUrl
    .default('https://api.hubapi.com')
    .describe('Base URL of the HubSpot of that app: only its word counts for whose portal is posted of'),
  HUBSPOT_TOKEN_PATH: z
    .string()
    .regex(/^\/[\w./-]*$/, 'must be a path, such as /oauth/v3/token')
    .default('/oauth/v3/token')
    .describe('Where HubSpot issues access tokens, unless a connection has a `token_path`'),
  DEVELOPMENT: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(
      '`true`: channels without a provider use the sandbox, and mail goes out from domains that are not verified',
    ),
  FAST_PATHS: z
    .enum(['on', 'off'])
    .default('on')
    .describe(
      'Whether work takes the fast path where ARCHITECTURE.md lists one; `off` gives the same results by the slow paths, to find out whether a fault is in a fast one',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl
    .optional()
    .describe('Base URL of the receiver of OpenTelemetry traces by OTLP over HTTP; no traces are recorded when absent'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf'], 'must be http/protobuf')
    .default('http/protobuf')
    .describe('How traces are sent; there is one way'),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .optional()
    .describe('Headers for that receiver, such as a key: `name=value`, comma-separated and percent-encoded'),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on')
    .describe('Which traces are recorded; those with `parentbased_` record a trace whole or not at all'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of the traces that the samplers with `traceidratio` record, from 0 to 1'),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .optional()
    .describe(
      'Attributes of all spans, `name=value`, comma-separated and percent-encoded; `service.name` is `switchboard-api` or `switchboard-worker` unless named here',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severe level that is logged'),
} satisfies z.ZodRawShape;

/** What is left of the grace after the drain, for requests under way. */
const MIN_STOP_SECONDS = 5;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const Settings = z
  .object(settings)
  .refine(
    ({ PUBLIC_URL }) => {
      const { protocol, hostname } = new URL(PUBLIC_URL);
      return protocol === 'https:' || LOOPBACK.test(hostname);
    },
    {
      path: ['PUBLIC_URL'],
      message: 'must begin with https://, but on loopback (RFC 8058 wants https for unsubscribe links)',
    },
  )
  .refine(({ DRAIN_SECONDS, STOP_GRACE_SECONDS }) => DRAIN_SECONDS + MIN_STOP_SECONDS <= STOP_GRACE_SECONDS, {
    path: ['DRAIN_SECONDS'],
    message: `must be at least ${MIN_STOP_SECONDS} s less than STOP_GRACE_SECONDS`,
  })
  .refine(
    ({ INBOUND_DOMAIN, INBOUND_SMTP_PORT }) => (INBOUND_DOMAIN === undefined) === (INBOUND_SMTP_PORT === undefined),
    {
      path: ['INBOUND_SMTP_PORT'],
      message: 'INBOUND_DOMAIN and INBOUND_SMTP_PORT must be set together',
    },
  )
  .refine(
    ({ INBOUND_TLS_CERT, INBOUND_TLS_KEY }) => (INBOUND_TLS_CERT === undefined) === (INBOUND_TLS_KEY === undefined),
    { path: ['INBOUND_TLS_KEY'], message: 'INBOUND_TLS_CERT and INBOUND_TLS_KEY must be set together' },
  )
  .refine(
    ({ HUBSPOT_CLIENT_ID, HUBSPOT_CLIENT_SECRET }) =>
      (HUBSPOT_CLIENT_ID === undefined) === (HUBSPOT_CLIENT_SECRET === undefined),
    {
      path: ['HUBSPOT_CLIENT_SECRET'],
      message: 'HUBSPOT_CLIENT_ID and HUBSPOT_CLIENT_SECRET must be set together',
    },
  )
  .refine(
    ({ STORAGE_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }) =>
      !STORAGE_URL?.startsWith('s3:') || (AWS_ACCESS_KEY_ID !== undefined && AWS_SECRET_ACCESS_KEY !== undefined),
    {
      path: ['STORAGE_URL'],
      message: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set for s3 storage',
    },
  );

export type Config = z.infer<typeof Settings> & { dashboardUrl: string; signingSecrets: SigningSecrets };

export class InvalidConfiguration extends Error {
  /** Each setting that is missing or invalid, with its meaning. */
  readonly problems: string[];

  constructor(problems: string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
    this.name = 'InvalidConfiguration';
    this.problems = problems;
  }
}

/** Parses the environment, with the settings in files. Throws an error listing every missing or invalid setting with its meaning. */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const files = readSettingFiles(env);
  if (files.problems.length > 0) throw new InvalidConfiguration(files.problems);
  const given = Object.fromEntries(Object.entries(files.env).filter(([, value]) => value !== ''));
  const parsed = Settings.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ code, path: [name = ''], message }) => {
      const problem = code === 'invalid_type' && given[String(name)] === undefined ? 'is not set' : message;
      const meaning = new Map<PropertyKey, z.ZodType>(Object.entries(settings)).get(name)?.description;
      return `${String(name)}: ${problem}${meaning === undefined ? '' : `. Meaning: ${meaning}`}`;
    });
    throw new InvalidConfiguration([...new Set(problems)]);
  }
  const { DASHBOARD_URL, PUBLIC_URL, JWT_SECRET, JWT_SECRETS_ACCEPTED } = parsed.data;
  return {
    ...parsed.data,
    dashboardUrl: DASHBOARD_URL ?? PUBLIC_URL,
    signingSecrets: [JWT_SECRET, ...JWT_SECRETS_ACCEPTED],
  };
}

/** Loads the configuration of a program. If it is not valid, logs why in one line and exits. */
export function loadConfigOrExit(program: string): Config {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof InvalidConfiguration)) throw error;
    const { problems } = error;
    const log = createLogger({ name: program, level: 'fatal' });
    log.fatal(
      { problems },
      'The configuration is not valid: correct the settings in `problems`, see docs/configuration.md',
    );
    process.exit(1);
  }
}
