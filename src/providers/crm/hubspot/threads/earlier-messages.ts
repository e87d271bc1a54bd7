import type { PriorAttempts } from '../../port.ts';
import type { HubspotApi } from '../api.ts';
import { listLatestPage, type RawMessage } from './threads.ts';

/** The largest expected lag of HubSpot's clock behind ours. */
const MAX_CLOCK_SKEW_MS = 5_000;
const MAX_PAGES = 10;

/**
 * Finds a message possibly posted to the thread by an earlier attempt: a message by an app with a matching text. If our
 * app's id is known, it must be by our app.
 */
export async function findEarlierMessage(
  api: HubspotApi,
  threadId: string,
  {
    type,
    hasText,
    appId,
  }: { type: 'MESSAGE' | 'COMMENT'; hasText: (text: string) => boolean; appId: string | undefined },
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
