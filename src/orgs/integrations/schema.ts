import { z } from 'zod';
import { keysOf } from '../../collections/checked-access.ts';
import { Timestamp } from '../../schemas/parts.ts';

/** Providers with callbacks to us. */
export const CALLBACK_PROVIDERS = ['twilio', 'meta', 'vapi', 'slack'] as const;
export type CallbackProvider = (typeof CALLBACK_PROVIDERS)[number];

/** The placeholder for a secret in responses. Sent back, it keeps the stored secret. */
export const MASK = '***';

const Text = z.string().min(1).max(255);
/** A secret sent in an HTTP header, hence printable ASCII. */
const Secret = z
  .string()
  .min(1)
  .max(4096, { abort: true })
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
  .describe('Write-only: shown as "***", which sent back keeps the stored one.');
const SecretText = z
  .string()
  .min(1)
  .max(20_000)
  .describe('Write-only: shown as "***", which sent back keeps the stored one.');
const BaseUrl = z
  .string()
  .max(2048, { abort: true })
  .regex(
    /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/i,
    'must be an http or https address without a query, such as https://api.example.com',
  )
  .describe('Where the provider’s API is. The provider’s own when absent.');
const Host = z
  .string()
  .max(253, { abort: true })
  .regex(
    /^([A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)$/,
    'must be a host name or an IP address',
  );
const Digits = z.union([z.int().min(0), z.string().regex(/^[0-9]{1,20}$/, 'must be a number')]).transform(String);

const Smtp = z.object({
  host: Host,
  port: z.int().min(1).max(65_535).default(587),
  secure: z
    .boolean()
    .default(false)
    .describe('TLS from the first byte (port 465). When false, STARTTLS where the server offers it.'),
  username: Text.optional(),
  password: SecretText.optional(),
  allow_unencrypted_login: z
    .boolean()
    .default(false)
    .describe('Signs in also where the server offers no encryption: everybody on the way can read the password.'),
  dkim: z
    .object({
      domain: Host,
      selector: z
        .string()
        .max(253, { abort: true })
        .regex(/^[A-Za-z0-9._-]+$/, 'must be a DNS label'),
      private_key: SecretText,
    })
    .optional(),
});

const Twilio = z
  .object({
    base_url: BaseUrl.optional(),
    account_sid: z
      .string()
      .max(64, { abort: true })
      .regex(/^[A-Za-z0-9]+$/, 'must be letters and digits'),
    auth_token: Secret,
    from: z.string().min(1).max(64).optional().describe('A number in E.164 form, or a sender id.'),
    messaging_service_sid: z.string().min(1).max(64).optional(),
  })
  .refine(({ from, messaging_service_sid }) => from !== undefined || messaging_service_sid !== undefined, {
    path: ['from'],
    message: 'send from or messaging_service_sid',
  });

const AppSecret = Secret.describe('Of the Meta app: verifies the signature of callbacks. Write-only.');
const VerifyToken = Secret.describe('Answers Meta’s subscription handshake. Write-only.');

const Meta = z.object({
  base_url: BaseUrl.optional(),
  access_token: Secret,
  app_secret: AppSecret.optional(),
  verify_token: VerifyToken.optional(),
});

const Messenger = z.object({
  base_url: BaseUrl.optional(),
  page_id: Digits,
  page_access_token: Secret,
  app_secret: AppSecret,
  verify_token: VerifyToken.optional(),
});

const Instagram = z.object({
  base_url: BaseUrl.optional(),
  account_id: Digits.describe('Of the professional account.'),
  access_token: Secret,
  app_secret: AppSecret,
  verify_token: VerifyToken.optional(),
});

const Slack = z.object({
  base_url: BaseUrl.optional(),
  bot_token: Secret,
  signing_secret: Secret,
});

const Vapi = z.object({
  base_url: BaseUrl.optional(),
  api_key: Secret,
  phone_number_id: Text,
  webhook_secret: Secret.optional(),
});

const Hubspot = z
  .object({
    base_url: BaseUrl.optional(),
    access_token: Secret.optional(),
    oauth: z.object({ client_id: Text, client_secret: Secret, refresh_token: Secret }).optional(),
    token_path: z
      .string()
      .max(255)
      .regex(/^\/[\w./-]*$/, 'must be a path, such as /oauth/v3/token')
      .optional()
      .describe('Where HubSpot issues access tokens for oauth. The default is /oauth/v3/token.'),
    webhook_secret: Secret.optional(),
    app_id: Digits.optional(),
    portal_id: Digits.optional(),
    ai_user_id: Digits.optional(),
    assist_mode: z.boolean().optional(),
    assist_drafts: z
      .enum(['comment', 'message'])
      .optional()
      .describe(
        'How drafts of the AI are posted in Assist Mode: as an internal comment, which is the default, or as a public message to the customer.',
      ),
    ticketing_enabled: z.boolean().optional(),
    pipeline_id: Text.optional(),
    open_stage_id: Text.optional(),
    closed_stage_id: Text.optional(),
    priority: Text.optional(),
    owner_id: Digits.optional(),
    signatures: z
      .array(z.object({ domain: Text, html: z.string().max(50_000) }))
      .max(100)
      .optional()
      .describe('Appended to e-mail replies; the exact domain’s wins over "*".'),
  })
  .refine(({ access_token, oauth }) => (access_token === undefined) !== (oauth === undefined), {
    path: ['access_token'],
    message: 'send either access_token or oauth',
  });

const Salesforce = z.object({
  base_url: BaseUrl.describe('The deployment’s own address, https://<domain>.my.salesforce-scrt.com'),
  org_id: Text,
  es_developer_name: Text,
  auth_key_id: Text.optional().describe(
    'With private_key: end users are verified, and their conversations outlast a guest’s token. The id of the public key in Salesforce’s user verification, whose issuer is to be switchboard.',
  ),
  private_key: SecretText.optional(),
});

const OpenaiCompatible = z.object({
  base_url: BaseUrl.optional(),
  api_key: Secret,
  model: Text,
  embedding_model: Text.optional(),
  embedding_input_type: z
    .boolean()
    .optional()
    .describe(
      'Sends `input_type` with each text to embed: `query` for a question, `passage` for the knowledge. Models that are trained for both ask for it. Others may refuse it.',
    ),
});

/** The request bodies of PUT /integrations/{kind}, by kind. */
export const INTEGRATION_BODIES = {
  email: body('email', 'smtp', Smtp, { host: 'smtp.example.com', port: 587, username: 'post', password: 'secret' }),
  sms: body('sms', 'twilio', Twilio, { account_sid: 'AC0123456789', auth_token: 'secret', from: '+15005550006' }),
  whatsapp: body('whatsapp', 'meta', Meta, { access_token: 'EAAG', app_secret: 'secret', verify_token: 'handshake' }),
  messenger: body('messenger', 'meta', Messenger, {
    page_id: '100200300',
    page_access_token: 'EAAG',
    app_secret: 'secret',
    verify_token: 'handshake',
  }),
  instagram: body('instagram', 'meta', Instagram, {
    account_id: '17841400000000001',
    access_token: 'IGAA',
    app_secret: 'secret',
    verify_token: 'handshake',
  }),
  slack: body('slack', 'slack', Slack, { bot_token: 'xoxb-1', signing_secret: 'secret' }),
  voice: body('voice', 'vapi', Vapi, { api_key: 'secret', phone_number_id: 'pn_1' }),
  crm: body('crm', 'hubspot', Hubspot, {
    access_token: 'pat-na1',
    portal_id: 12345,
    pipeline_id: '0',
    open_stage_id: '1',
  }),
  miaw: body('miaw', 'salesforce', Salesforce, {
    base_url: 'https://example.my.salesforce-scrt.com',
    org_id: '00D000000000001',
    es_developer_name: 'Web_Chat',
  }),
  llm: body('llm', 'openai-compatible', OpenaiCompatible, { api_key: 'sk-1', model: 'gpt-5-mini' }),
};

export type IntegrationKind = keyof typeof INTEGRATION_BODIES;
export const INTEGRATION_KINDS = keysOf(INTEGRATION_BODIES);
export type PutIntegration = z.infer<(typeof INTEGRATION_BODIES)[IntegrationKind]>;

/** The settings of a kind of connection, including secrets. */
export type ConnectionSettings<Kind extends IntegrationKind> = z.infer<(typeof INTEGRATION_BODIES)[Kind]>['settings'];

/** All kinds of connections, also those that an org may have several of. */
export type ConnectionKind = IntegrationKind | 'fareharbor' | 'mcp';

/** The paths of the secrets in each kind's settings. */
export const SECRET_PATHS: Record<ConnectionKind, string[]> = {
  email: ['password', 'dkim.private_key'],
  sms: ['auth_token'],
  whatsapp: ['access_token', 'app_secret', 'verify_token'],
  messenger: ['page_access_token', 'app_secret', 'verify_token'],
  instagram: ['access_token', 'app_secret', 'verify_token'],
  slack: ['bot_token', 'signing_secret'],
  voice: ['api_key', 'webhook_secret'],
  crm: ['access_token', 'oauth.client_secret', 'oauth.refresh_token', 'webhook_secret'],
  miaw: ['private_key'],
  llm: ['api_key'],
  fareharbor: ['app_key', 'user_key'],
  mcp: ['headers'],
};

export const IntegrationRef = z.object({ kind: z.enum(INTEGRATION_KINDS) });

export const Integration = z
  .object({
    kind: z.string(),
    name: z.string().describe('Tells connections of one kind apart.'),
    provider: z.string(),
    settings: z.record(z.string(), z.unknown()).describe('Secrets are shown as "***".'),
    connected: z
      .boolean()
      .nullable()
      .describe(
        'Whether the latest call or test succeeded and nothing is wrong with the settings. Null before the first.',
      ),
    last_success_at: Timestamp.nullable().describe('When a call last succeeded, to the minute.'),
    last_error: z.string().nullable().describe('What was wrong last, without secrets.'),
    last_error_at: Timestamp.nullable(),
    failing_since: Timestamp.nullable().describe(
      'The first failed call after the last successful one. Null while calls succeed.',
    ),
    warnings: z
      .array(z.string())
      .describe('What it lacks to have an effect, which settings have none, and what to do.'),
    webhook_url: z
      .string()
      .optional()
      .describe(
        'Of crm, sms, whatsapp, messenger, instagram, slack and voice: the address for the provider’s callbacks and inbound messages. Shown to keys that may change the org.',
      ),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Integration' });

export const IntegrationList = z.object({ items: z.array(Integration), next: z.null() });

export const TestAnswer = z
  .object({ connected: z.boolean(), message: z.string().describe('What came back.') })
  .meta({ id: 'IntegrationTest' });

function body<Provider extends string, Settings extends z.ZodType>(
  kind: string,
  provider: Provider,
  settings: Settings,
  example: z.input<Settings>,
) {
  return z.object({ provider: z.literal(provider), settings }).meta({
    id: `Put${kind.charAt(0).toUpperCase()}${kind.slice(1)}Integration`,
    examples: [{ provider, settings: example }],
  });
}
