import type { PriorAttempts } from '../../port.ts';
import type { HubspotApi } from '../api.ts';
import { listLatestPage, type RawMessage } from './threads.ts';

/** How far HubSpot's clock may be behind ours. */
const MAX_CLOCK_SKEW_MS = 5_000;
const MAX_PAGES = 10;

/** What an earlier try may have posted into the thread: a message with such a text, by an app, which is ours where we know its id. */
export async function findEarlierMessage(
  api: HubspotApi,
  threadId: string,
  { type, hasText }: { type: 'MESSAGE' | 'COMMENT'; hasText: (text: string) => boolean },
  appId: string | undefined,
  { since, taken = [] }: PriorAttempts,
): Promise<string | undefined> {
  const from = since.getTime() - MAX_CLOCK_SKEW_MS;
  const isIt = (message: RawMessage) =>
    message.type === type &&
    !taken.includes(message.id) &&
    message.createdAt.getTime() >= from &&
    hasText(message.text ?? '') &&
    isByApp(message, appId);

  let after: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await listLatestPage(api, threadId, after);
    const found = page?.messages.find(isIt);
    if (found !== undefined) return found.id;
    after = page?.next;
    const oldest = page?.messages.at(-1);
    if (after === undefined || oldest === undefined || oldest.createdAt.getTime() < from) return undefined;
  }
  return undefined;
}

const isByApp = ({ client }: RawMessage, appId: string | undefined) =>
  client?.clientType === 'INTEGRATION' && (appId === undefined || client.integrationAppId === appId);
