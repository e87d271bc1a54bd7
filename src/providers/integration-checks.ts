import { createTransport } from 'nodemailer';
import { memberOf } from '../collections/records.ts';
import { messageOf, ProviderError } from '../errors.ts';
import { joinUrl } from '../text/urls.rules.ts';
import { ACCOUNT_PATH, Account } from './crm/hubspot/accounts.ts';
import { BASE_URL } from './crm/hubspot/api.ts';
import { type OauthGrant, refreshRequestOf, type TokenEndpoint } from './crm/hubspot/oauth.ts';
import { API_PATH } from './crm/salesforce/api.ts';
import type { SalesforceSettings } from './crm/salesforce/port.ts';
import { tokenRequestOf } from './crm/salesforce/tokens.ts';
import type { Egress, EgressResponse } from './egress/egress.ts';
import { jsonOf, reasonFrom } from './egress/provider-responses.ts';
import { connectionOptionsOf, type SmtpSettings, secretsOf } from './email/smtp.ts';
import { callMeta } from './meta/api.ts';
import { type DirectConnection, directSettingsOf } from './meta/direct-messages/settings.rules.ts';
import { callSlack, type SlackSettings } from './slack/api.ts';
import { storable } from './storable.rules.ts';

const SMTP_TIMEOUT_MS = 8_000;

interface HubspotCredentials extends TokenEndpoint {
  access_token?: string;
  oauth?: OauthGrant;
  portal_id?: string;
}

/** A connection to check: the provider, and its settings with their secrets. */
export type IntegrationToCheck =
  | { provider: 'smtp'; settings: SmtpSettings }
  | { provider: 'twilio'; settings: { base_url?: string; account_sid: string; auth_token: string } }
  | { provider: 'meta'; settings: { base_url?: string; access_token: string } | DirectConnection }
  | { provider: 'slack'; settings: SlackSettings }
  | { provider: 'vapi'; settings: { base_url?: string; api_key: string } }
  | { provider: 'hubspot'; settings: HubspotCredentials }
  | { provider: 'salesforce'; settings: SalesforceSettings }
  | { provider: 'openai-compatible'; settings: { base_url?: string; api_key: string } };

export interface CheckResult {
  connected: boolean;
  /** The response in one sentence. Never contains a secret. */
  message: string;
  /** Whether calls succeed nevertheless. */
  isAnswered?: true;
}

/** Makes one harmless real call and returns its result. Never throws for failures of the provider or the network. */
export type IntegrationCheck = (integration: IntegrationToCheck) => Promise<CheckResult>;

export function createIntegrationCheck(egress: Egress, hubspotTokenPath: string): IntegrationCheck {
  return async (integration) => {
    try {
      return await checkProvider(egress, integration, hubspotTokenPath);
    } catch (error) {
      if (error instanceof ProviderError) return { connected: false, message: error.message };
      throw error;
    }
  };
}

function checkProvider(
  egress: Egress,
  { provider, settings }: IntegrationToCheck,
  hubspotTokenPath: string,
): Promise<CheckResult> {
  switch (provider) {
    case 'smtp':
      return verifySmtp(egress, settings);
    case 'twilio':
      return checkByRequest(
        egress,
        'Twilio',
        joinUrl(
          settings.base_url ?? 'https://api.twilio.com',
          `/2010-04-01/Accounts/${encodeURIComponent(settings.account_sid)}.json`,
        ),
        {
          authorization: basic(settings.account_sid, settings.auth_token),
        },
      );
    case 'meta':
      return checkMeta(egress, settings);
    case 'slack':
      return checkSlack(egress, settings);
    case 'vapi':
      return checkByRequest(
        egress,
        'Vapi',
        joinUrl(settings.base_url ?? 'https://api.vapi.ai', '/assistant?limit=1'),
        bearer(settings.api_key),
      );
    case 'hubspot':
      return checkHubspot(egress, { ...settings, token_path: settings.token_path ?? hubspotTokenPath });
    case 'salesforce':
      return checkSalesforce(egress, settings);
    case 'openai-compatible':
      return checkByRequest(
        egress,
        'The AI provider',
        joinUrl(settings.base_url ?? 'https://api.openai.com/v1', '/models'),
        bearer(settings.api_key),
      );
  }
}

async function checkByRequest(
  egress: Egress,
  name: string,
  url: string,
  headers: Record<string, string>,
): Promise<CheckResult> {
  return resultOf(name, await egress.request(url, { headers: { accept: 'application/json', ...headers } }));
}

/** Asks for the page or account that messages go out from, or else for whoever has the token. */
async function checkMeta(
  egress: Egress,
  settings: { base_url?: string; access_token: string } | DirectConnection,
): Promise<CheckResult> {
  if (!('page_id' in settings) && !('account_id' in settings))
    return resultOf('Meta', await callMeta(egress, settings, 'me'));
  const { account, ...meta } = directSettingsOf(settings);
  return resultOf('Meta', await callMeta(egress, meta, `${encodeURIComponent(account)}?fields=id`));
}

/** Slack answers refusals with 200 as well. */
async function checkSlack(egress: Egress, settings: SlackSettings): Promise<CheckResult> {
  const answer = await callSlack(egress, settings, 'auth.test', new URLSearchParams());
  if (answer.isOk) return { connected: true, message: 'Slack answered and accepted the token' };
  return { connected: false, message: answer.reason };
}

async function checkHubspot(
  egress: Egress,
  { base_url = BASE_URL, token_path, access_token, oauth, portal_id }: HubspotCredentials & { token_path: string },
): Promise<CheckResult> {
  let token = access_token;
  if (token === undefined && oauth !== undefined) {
    const answer = await egress.request(joinUrl(base_url, token_path), refreshRequestOf(oauth));
    token = textAt(answer.body, 'access_token');
    if (token === undefined) return { ...resultOf('HubSpot', answer), connected: false };
  }
  const headers = { accept: 'application/json', ...bearer(token ?? '') };
  const answer = await egress.request(joinUrl(base_url, ACCOUNT_PATH), { headers });
  const portalId = Account.safeParse(jsonOf(answer)).data?.portalId;
  if (portal_id === undefined || portalId === undefined || portalId === portal_id) return resultOf('HubSpot', answer);
  const message = `HubSpot answered for the account ${portalId}, but portal_id is ${portal_id}`;
  return { connected: false, message, isAnswered: true };
}

/** Requests a visitor's token without starting a conversation. */
async function checkSalesforce(egress: Egress, settings: SalesforceSettings): Promise<CheckResult> {
  const { path, body } = await tokenRequestOf(settings, 'switchboard');
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) } as const;
  return resultOf('Salesforce', await egress.request(joinUrl(settings.base_url, API_PATH + path), request));
}

/** Connects and signs in, without sending e-mail (RFC 5321, 3.1 and RFC 4954). */
async function verifySmtp(egress: Egress, settings: SmtpSettings): Promise<CheckResult> {
  const { host, port, username, password } = settings;
  const connection = await egress.connect(host, port);
  const transport = createTransport({
    ...connectionOptionsOf(settings),
    connection,
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
  });
  try {
    await transport.verify();
    const signsIn = username === undefined ? 'without a sign-in: no user name is set' : 'and accepted the sign-in';
    return { connected: true, message: `The mail server at ${host}:${port} answered ${signsIn}` };
  } catch (error) {
    const response = memberOf(error, 'response');
    const reason = reasonFrom(typeof response === 'string' ? response : messageOf(error), secretsOf(username, password))
      .slice(0, 300)
      .toWellFormed();
    return { connected: false, message: `The mail server at ${host}:${port}: ${reason}` };
  } finally {
    transport.close();
  }
}

function resultOf(name: string, { status, body }: EgressResponse): CheckResult {
  if (status >= 200 && status < 300) return { connected: true, message: `${name} answered ${status}` };
  const said = textAt(body, 'message') ?? textAt(body, 'error');
  const because = said === undefined ? '' : `: ${storable(said.slice(0, 300))}`;
  const what = status === 401 || status === 403 ? 'refused the credentials' : 'answered';
  return { connected: false, message: `${name} ${what} (${status})${because}` };
}

/** Returns the text at `key` or at `key.message` of a JSON object, if there is one. */
function textAt(body: string, key: string): string | undefined {
  try {
    const value = memberOf(JSON.parse(body), key);
    if (typeof value === 'string') return value;
    const message = memberOf(value, 'message');
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
