import { z } from 'zod';
import { ProviderError } from '../../errors.ts';
import { joinUrl } from '../../text/urls.rules.ts';
import type { EgressRequest, HttpClient } from '../egress/egress.ts';
import { jsonOf, reasonFrom, requestFailure } from '../egress/provider-responses.ts';
import { serverOf } from './assistant.ts';
import { Text } from './calls.ts';
import type { AssistantServer, PlatformNumber, PlatformTrunk, PlatformVoice, VoiceAccount } from './port.ts';
import { BASE_URL, explanationOf, type VapiSettings } from './sender.ts';

/** More of anything is not listed. An account has far fewer. */
const MAX_LISTED = 1_000;
/** The OpenAPI document, which names the models, has some megabytes. */
const MAX_BYTES = 32 * 1024 * 1024;

const Id = z.string().regex(/^[\x21-\x7e]{1,64}$/);
const Server = z.object({ url: Text }).optional().catch(undefined);
const StoredNumber = z.object({
  id: Id,
  provider: z.string(),
  number: Text,
  sipUri: Text,
  name: Text,
  credentialId: Text,
  assistantId: Text,
  squadId: Text,
  workflowId: Text,
  server: Server,
});
type StoredNumber = z.infer<typeof StoredNumber>;
const Gateway = z.object({ ip: z.string(), port: z.int().optional().catch(undefined) });
const Trunk = z.object({
  id: Id,
  provider: z.literal('byo-sip-trunk'),
  name: Text,
  gateways: z.array(Gateway).catch([]),
});
const Voice = z.object({
  providerId: z.string().min(1).max(100),
  name: Text,
  gender: z.enum(['female', 'male']).optional().catch(undefined),
  accent: Text,
  languageCode: Text,
  isDeleted: z.boolean().optional().catch(undefined),
});
const Models = z.object({
  components: z.object({
    schemas: z.object({
      OpenAIModel: z.object({ properties: z.object({ model: z.object({ enum: z.array(z.string()) }) }) }),
    }),
  }),
});

/** Returns what an account at Vapi has besides its calls. Throws ProviderErrors. */
export function createVapiAccount(http: HttpClient, settings: VapiSettings): VoiceAccount {
  const { base_url = BASE_URL, api_key } = settings;
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${api_key}`,
    'content-type': 'application/json',
  };
  const ask = async (path: string, options: EgressRequest = {}, secret = api_key): Promise<unknown> => {
    const answer = await http.request(joinUrl(base_url, path), { headers, maxBytes: MAX_BYTES, ...options });
    const content = jsonOf(answer);
    if (answer.status >= 300 || content === undefined)
      throw requestFailure(answer, reasonFrom(explanationOf(answer), [api_key, secret]));
    return content;
  };
  const list = async <Item extends z.ZodType>(path: string, item: Item): Promise<z.infer<Item>[]> => {
    const listed = z.array(z.unknown()).safeParse(await ask(path)).data;
    if (listed === undefined) throw unreadable(path);
    return listed.flatMap((one) => item.safeParse(one).data ?? []);
  };
  return {
    listNumbers: async () => (await list(`/phone-number?limit=${MAX_LISTED}`, StoredNumber)).map(numberOf),
    listTrunks: async () => (await list('/credential', Trunk)).map(trunkOf),
    listVoices: async () => (await list(`/voice-library/vapi?limit=${MAX_LISTED}`, Voice)).flatMap(voiceOf),
    async listModels() {
      const models = Models.safeParse(await ask('/api-json')).data;
      if (models === undefined) throw unreadable('/api-json');
      return [...new Set(models.components.schemas.OpenAIModel.properties.model.enum)].sort();
    },
    async changeNumber({ id, kind }, change) {
      const body = JSON.stringify({ provider: kind, ...changeOf(change) });
      const path = `/phone-number/${encodeURIComponent(id)}`;
      const changed = StoredNumber.safeParse(await ask(path, { method: 'PATCH', body }, change.server?.secret)).data;
      if (changed === undefined) throw unreadable(path);
      return numberOf(changed);
    },
  };
}

const unreadable = (path: string) =>
  new ProviderError(`Vapi answered ${path} with something that cannot be read`, { transient: false });

/** An assistant of Vapi's own would answer in place of ours. */
const changeOf = ({ server, trunkId }: { server?: AssistantServer | null; trunkId?: string }) => ({
  ...(server === null && { server: null }),
  ...(server && { assistantId: null, squadId: null, workflowId: null, server: serverOf(server) }),
  ...(trunkId !== undefined && { credentialId: trunkId }),
});

const numberOf = ({ id, provider, number, sipUri, name, credentialId, ...rest }: StoredNumber): PlatformNumber => ({
  id,
  kind: provider,
  number: number ?? null,
  sipUri: sipUri ?? null,
  name: name ?? null,
  trunkId: credentialId ?? null,
  hasAssistant: [rest.assistantId, rest.squadId, rest.workflowId].some((one) => one !== undefined),
  serverUrl: rest.server?.url ?? null,
});

const trunkOf = ({ id, name, gateways }: z.infer<typeof Trunk>): PlatformTrunk => ({
  id,
  name: name ?? null,
  gateways: gateways.map(({ ip, port }) => `${ip}:${port ?? 5060}`),
});

const voiceOf = ({
  providerId: id,
  name,
  languageCode,
  isDeleted,
  ...voice
}: z.infer<typeof Voice>): PlatformVoice[] =>
  isDeleted === true ? [] : [{ id, name: name ?? id, language: languageCode, ...voice }];
