import type { Schemas } from '../../../api/client';
import type { FieldSpec, Specs } from '../../../ui/forms/spec';

/** The names of settings, those of a nested part with a dot. Lists have no field: they stay as they are. */
type Names<Settings> = {
  [Name in keyof Settings & string]-?: NonNullable<Settings[Name]> extends readonly unknown[]
    ? never
    : NonNullable<Settings[Name]> extends object
      ? `${Name}.${keyof NonNullable<Settings[Name]> & string}`
      : Name;
}[keyof Settings & string];

/** The fields of a kind: one of each setting that the API knows. */
type SpecsOf<Body extends { settings: object }> = Record<Names<Body['settings']>, FieldSpec>;

export interface Kind {
  name: string;
  provider: string;
  says: string;
  specs: Specs;
  /** What is set before anything is written. */
  defaults?: object;
  /** Where the provider's callbacks have to go. */
  callbackHint?: string;
}

const BASE_URL: FieldSpec = {
  kind: 'text',
  type: 'url',
  maxLength: 2048,
  label: 'Address of the API',
  hint: 'Empty: the provider’s own.',
};
const secret = (
  label: string,
  { isRequired = true, hint }: { isRequired?: boolean; hint?: string } = {},
): FieldSpec => ({
  kind: 'secret',
  label,
  isRequired,
  ...(hint !== undefined && { hint }),
});
const text = (
  label: string,
  { isRequired = false, hint }: { isRequired?: boolean; hint?: string } = {},
): FieldSpec => ({
  kind: 'text',
  label,
  isRequired,
  ...(hint !== undefined && { hint }),
});
const APP_SECRET = { hint: 'Of the Meta app. It proves that callbacks are Meta’s.' };
const VERIFY_TOKEN = secret('Verify token', { isRequired: false, hint: 'Meta asks for it when you add the webhook.' });
const META_CALLBACKS = 'Add it as the webhook of your Meta app, with the verify token.';

const email: SpecsOf<Schemas['PutEmailIntegration']> = {
  host: { kind: 'text', label: 'Server', isRequired: true, maxLength: 253, placeholder: 'smtp.example.com' },
  port: { kind: 'number', label: 'Port', min: 1, max: 65_535, hint: 'Mostly 587, or 465 with TLS.' },
  username: text('User name'),
  password: secret('Password', { isRequired: false }),
  secure: { kind: 'check', label: 'TLS from the first byte (port 465)' },
  allow_unencrypted_login: {
    kind: 'check',
    label: 'Sign in even without encryption',
    hint: 'Everybody on the way can read the password.',
  },
  'dkim.domain': text('DKIM: domain', { hint: 'Only for a key of your own. Domains of Outbound sign by themselves.' }),
  'dkim.selector': text('DKIM: selector'),
  'dkim.private_key': { kind: 'secret', isLong: true, label: 'DKIM: private key' },
};
const sms: SpecsOf<Schemas['PutSmsIntegration']> = {
  account_sid: text('Account SID', { isRequired: true }),
  auth_token: secret('Auth token'),
  from: text('From', { hint: 'A number such as +15551234567, or a sender id.' }),
  messaging_service_sid: text('Messaging service SID', { hint: 'In place of a number.' }),
  base_url: BASE_URL,
};
const whatsapp: SpecsOf<Schemas['PutWhatsappIntegration']> = {
  access_token: secret('Access token'),
  app_secret: secret('App secret', { isRequired: false, ...APP_SECRET }),
  verify_token: VERIFY_TOKEN,
  base_url: BASE_URL,
};
const messenger: SpecsOf<Schemas['PutMessengerIntegration']> = {
  page_id: text('Page id', { isRequired: true }),
  page_access_token: secret('Page access token'),
  app_secret: secret('App secret', APP_SECRET),
  verify_token: VERIFY_TOKEN,
  base_url: BASE_URL,
};
const instagram: SpecsOf<Schemas['PutInstagramIntegration']> = {
  account_id: text('Account id', { isRequired: true }),
  access_token: secret('Access token'),
  app_secret: secret('App secret', APP_SECRET),
  verify_token: VERIFY_TOKEN,
  base_url: BASE_URL,
};
const slack: SpecsOf<Schemas['PutSlackIntegration']> = {
  bot_token: secret('Bot token', { hint: 'It begins with xoxb-.' }),
  signing_secret: secret('Signing secret'),
  base_url: BASE_URL,
};
const voice: SpecsOf<Schemas['PutVoiceIntegration']> = {
  api_key: secret('API key'),
  phone_number_id: text('Id of the phone number', { isRequired: true }),
  webhook_secret: secret('Webhook secret', { isRequired: false }),
  base_url: BASE_URL,
};
const crm: SpecsOf<Schemas['PutCrmIntegration']> = {
  access_token: secret('Access token', { isRequired: false, hint: 'Of a private app. Or the three values of OAuth.' }),
  'oauth.client_id': text('OAuth: client id'),
  'oauth.client_secret': secret('OAuth: client secret', { isRequired: false }),
  'oauth.refresh_token': secret('OAuth: refresh token', { isRequired: false }),
  webhook_secret: secret('Webhook secret', { isRequired: false, hint: 'It proves that callbacks are HubSpot’s.' }),
  app_id: text('App id'),
  portal_id: text('Portal id'),
  ai_user_id: text('User of the AI', { hint: 'The id of the HubSpot user who is assigned what the AI answers.' }),
  owner_id: text('Owner of new tickets'),
  pipeline_id: text('Pipeline of tickets'),
  open_stage_id: text('Stage of open tickets'),
  closed_stage_id: text('Stage of closed tickets'),
  priority: text('Priority of tickets'),
  ticketing_enabled: { kind: 'check', label: 'Creates tickets' },
  assist_mode: { kind: 'check', label: 'Assist mode: the AI proposes, people send' },
  assist_drafts: {
    kind: 'choice',
    label: 'Proposals are',
    options: [
      ['', 'As usual'],
      ['comment', 'Comments'],
      ['message', 'Messages'],
    ],
  },
  token_path: text('Path of OAuth tokens', { hint: 'Empty: /oauth/v3/token.' }),
  base_url: BASE_URL,
};
const miaw: SpecsOf<Schemas['PutMiawIntegration']> = {
  base_url: {
    kind: 'text',
    type: 'url',
    maxLength: 2048,
    label: 'Address of the deployment',
    isRequired: true,
    placeholder: 'https://acme.my.salesforce-scrt.com',
  },
  org_id: text('Organization id', { isRequired: true }),
  es_developer_name: text('Developer name of the deployment', { isRequired: true }),
  auth_key_id: text('Id of the key that verifies users', {
    hint: 'With the private key, conversations outlast a guest’s token.',
  }),
  private_key: { kind: 'secret', isLong: true, label: 'Private key' },
};
const llm: SpecsOf<Schemas['PutLlmIntegration']> = {
  base_url: { ...BASE_URL, hint: 'Of any server of OpenAI’s protocol. Empty: OpenAI.' },
  api_key: secret('API key'),
  model: text('Model', { isRequired: true }),
  embedding_model: text('Model for embeddings', { hint: 'Empty: the one that comes with the product.' }),
  embedding_input_type: {
    kind: 'check',
    label: 'Sends input_type with texts to embed',
    hint: 'For models that tell questions from passages. Others may refuse it.',
  },
};

/** What can be connected, in the order of use. */
export const KINDS = {
  email: {
    name: 'Mail server',
    provider: 'smtp',
    says: 'Your own SMTP server sends the e-mails',
    specs: email,
    defaults: { port: 587 },
  },
  sms: {
    name: 'SMS',
    provider: 'twilio',
    says: 'Text messages by Twilio',
    specs: sms,
    callbackHint: 'Twilio gets it with each message. Set it as the webhook of the number for messages that come in.',
  },
  whatsapp: {
    name: 'WhatsApp',
    provider: 'meta',
    says: 'Messages by Meta’s Cloud API',
    specs: whatsapp,
    callbackHint: META_CALLBACKS,
  },
  messenger: {
    name: 'Messenger',
    provider: 'meta',
    says: 'Messages to your Facebook page',
    specs: messenger,
    callbackHint: META_CALLBACKS,
  },
  instagram: {
    name: 'Instagram',
    provider: 'meta',
    says: 'Direct messages to your account',
    specs: instagram,
    callbackHint: META_CALLBACKS,
  },
  slack: {
    name: 'Slack',
    provider: 'slack',
    says: 'Messages in your channels',
    specs: slack,
    callbackHint: 'Set it as the request URL of your app’s event subscriptions.',
  },
  voice: {
    name: 'Phone calls',
    provider: 'vapi',
    says: 'Calls by Vapi',
    specs: voice,
    callbackHint: 'Set it as the server URL at Vapi.',
  },
  crm: {
    name: 'CRM',
    provider: 'hubspot',
    says: 'HubSpot: contacts, tickets and conversations',
    specs: crm,
    defaults: { ticketing_enabled: true },
    callbackHint: 'Set it as the target URL of the webhooks of your HubSpot app.',
  },
  miaw: { name: 'Salesforce', provider: 'salesforce', says: 'Messaging for In-App and Web', specs: miaw },
  llm: { name: 'Model', provider: 'openai-compatible', says: 'The language model that the AI asks', specs: llm },
} satisfies Record<string, Kind>;

export type KindName = keyof typeof KINDS;
export const isKind = (kind: string): kind is KindName => Object.hasOwn(KINDS, kind);
export const kindOf = (kind: KindName): Kind => KINDS[kind];
