import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RefObject } from 'react';
import type { HistoryItem } from '../../../api/caches';
import { ApiError, api, dataOf, type Schemas } from '../../../api/client';
import { refreshNewest } from '../../../api/history';
import { say } from '../../../app/undo';
import { useIntentKey } from '../../../ui/intent-key';
import type { Draft } from './drafts';

interface SendingProps {
  session: Schemas['ChatSession'];
  /** The last item that the member has seen. */
  seen: RefObject<string | undefined>;
  onSent: (intent: Intent) => void;
}

export interface Intent {
  draft: Draft;
  mentions: number[];
  /** The last of the items that the member sends behind, although they are new. */
  behind?: string | undefined;
  /** Whether the conversation is closed once it is sent. */
  closes: boolean;
  /** Whether the conversation or the page was left. Who wrote it then hears of a failure elsewhere. */
  isLeft: boolean;
}

/**
 * Sends drafts. One is sent with one key until it changes, so it arrives once however often it is tried. `data` has the
 * messages that were written meanwhile: then nothing was sent.
 */
export function useSending({ session, seen, onSent }: SendingProps) {
  const client = useQueryClient();
  const { keyFor, forget } = useIntentKey();
  return useMutation({
    mutationFn: async ({ draft, mentions, isLeft, behind = seen.current }: Intent): Promise<HistoryItem[]> => {
      const params = {
        path: { id: session.id },
        header: { 'idempotency-key': keyFor(JSON.stringify([draft, behind])) },
      };
      if (draft.kind === 'reply') return reply(params, draft, { behind, isLeft });
      await dataOf(api.POST('/chat/sessions/{id}/notes', { params, body: { text: draft.text, mentions } }));
      return [];
    },
    onSuccess: (newer, sent) => {
      if (newer.length > 0) {
        if (sent.isLeft) say(`${NOT_SENT}: others wrote meanwhile`, { isError: true });
        return;
      }
      forget();
      onSent(sent);
    },
    onError: ({ message }, { isLeft }) => isLeft && say(`${NOT_SENT}: ${message}`, { isError: true }),
    onSettled: () => refreshNewest(client, session.id),
  });
}

const NOT_SENT = 'Your reply is still a draft';
/** Requests that outlive their page may have 64 KB. A longer reply stays a draft if its page is closed. */
const MAX_KEEPALIVE_LENGTH = 20_000;

interface SendParams {
  path: { id: string };
  header: { 'idempotency-key': string };
}

/** Returns the messages behind the one that was seen, if there are any. */
async function reply(
  params: SendParams,
  { text, attachments }: Draft,
  { behind, isLeft }: Pick<Intent, 'behind' | 'isLeft'>,
) {
  const files = attachments.map(({ name, url }) => ({ name, url }));
  const { error, response } = await api.POST('/chat/sessions/{id}/send', {
    params,
    keepalive: isLeft && text.length < MAX_KEEPALIVE_LENGTH,
    body: {
      sender: 'agent',
      message: { type: 'text', text, attachments: files },
      should_take_over_session_from_ai: true,
      expected_last_id: behind,
    },
  });
  if (response.ok) return [];
  if (error !== undefined && 'items' in error && error.items !== undefined) return error.items;
  if (response.status === 401) window.dispatchEvent(new Event('signed-out'));
  throw new ApiError(response.status, error);
}
