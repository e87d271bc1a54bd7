import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Db } from '../db/connect.ts';
import { conflict, ProviderError } from '../errors.ts';
import type { CallbackUrls } from '../orgs/integrations/callback-urls.ts';
import type { ConnectionCalls } from '../orgs/integrations/calls.service.ts';
import { findConnection } from '../orgs/integrations/service.ts';
import type { HttpClient } from '../providers/egress/egress.ts';
import { createVapiAccount } from '../providers/vapi/account.ts';
import { DEFAULT_MODEL } from '../providers/vapi/assistant.ts';
import type { AssistantServer, VoiceAccount } from '../providers/vapi/port.ts';
import type { Secrets } from '../secrets.ts';
import { PHONE_VOICES, type PhoneVoice } from './voices.schema.ts';

const MAX_ACCOUNTS = 500;
/** Voices and models change rarely. */
const TTL_MS = 10 * 60_000;

/** The voice platform of an org. */
export interface PhonePlatform extends Pick<VoiceAccount, 'listNumbers' | 'listTrunks' | 'changeNumber'> {
  /** Who answers the calls to its numbers: our own api. */
  server: AssistantServer;
  /** Whether a number with this server is answered by our own api. */
  isOurs(serverUrl: string | null): boolean;
}

/** Reaches the voice platforms of orgs. Throws conflict where one refuses, and a transient ProviderError where it is away. */
export interface PhonePlatforms {
  /** Returns undefined if the org has connected none. */
  of(orgId: string): Promise<PhonePlatform | undefined>;
  /** Lists the voices as the platform has them, or those that we know of it if none is connected, or it is away. */
  listVoices(orgId: string): Promise<PhoneVoice[]>;
  /** Lists the models as the platform has them, or the default one if none is connected, or it is away. */
  listModels(orgId: string): Promise<string[]>;
  defaultModel: string;
}

interface PlatformDeps {
  db: Db;
  secrets: Secrets;
  egress: HttpClient;
  calls: Pick<ConnectionCalls, 'observe'>;
  callbacks: CallbackUrls;
}

/** Creates the voice platforms of this process. What they have of voices and models is kept for some minutes. */
export function createPhonePlatforms({ db, secrets, egress, calls, callbacks }: PlatformDeps): PhonePlatforms {
  const kept = new LRUCache<string, Promise<unknown>>({ max: MAX_ACCOUNTS, ttl: TTL_MS });

  const connectionOf = async (orgId: string) => {
    const settings = await findConnection(db, secrets, orgId, 'voice');
    if (settings === undefined) return undefined;
    const account = createVapiAccount(calls.observe(egress, { orgId, kind: 'voice', settings }), settings);
    return { settings, account: explaining(account) };
  };

  const listed = async <Item>(orgId: string, what: 'listVoices' | 'listModels', known: Item[]): Promise<Item[]> => {
    const connection = await connectionOf(orgId);
    if (connection === undefined) return known;
    const { settings, account } = connection;
    const key = createHash('sha256')
      .update(JSON.stringify([orgId, settings, what]))
      .digest('base64');
    const asked = (kept.get(key) ?? account[what]()) as Promise<Item[]>;
    // Stored once, as each time it is stored it is kept longer.
    if (!kept.has(key)) kept.set(key, asked);
    return asked.catch((error: unknown) => {
      kept.delete(key);
      if (error instanceof ProviderError) return known;
      throw error;
    });
  };

  return {
    defaultModel: DEFAULT_MODEL,
    async of(orgId) {
      const connection = await connectionOf(orgId);
      if (connection === undefined) return undefined;
      const [secret] = callbacks.voiceSecretsOf(orgId, connection.settings);
      return {
        ...connection.account,
        server: { url: callbacks.urlOf('vapi', orgId), secret },
        isOurs: (serverUrl) => serverUrl !== null && callbacks.isUrl('vapi', orgId, serverUrl),
      };
    },
    listVoices: (orgId) => listed(orgId, 'listVoices', PHONE_VOICES),
    listModels: (orgId) => listed(orgId, 'listModels', [DEFAULT_MODEL]),
  };
}

/** Returns the account with refusals as errors that the caller is shown. */
function explaining(account: VoiceAccount): VoiceAccount {
  const explained = async <Value>(answer: Promise<Value>): Promise<Value> => {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof ProviderError && !error.transient) throw conflict(error.message);
      throw error;
    }
  };
  return {
    listNumbers: () => explained(account.listNumbers()),
    listTrunks: () => explained(account.listTrunks()),
    listVoices: () => explained(account.listVoices()),
    listModels: () => explained(account.listModels()),
    changeNumber: (...change) => explained(account.changeNumber(...change)),
  };
}
