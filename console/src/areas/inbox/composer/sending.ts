import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { HistoryItem } from '../../../api/caches';
import { ApiError, api, dataOf, type Schemas } from '../../../api/client';
import { refreshNewest } from '../../../api/history';
import { say } from '../../../app/undo';
import { useIntentKey } from '../../../ui/intent-key';
import { type Draft, type DraftRef, isSame } from './draft-entries';
import { isChanged, meetChange, store, takeDraft } from './draft-store';

interface SendingProps {
  session: Schemas['ChatSession'];
  onSent: (intent: Intent) => void;
}

export interface Intent {
  draft: Draft;
  mentions: number[];
  /** The last item that the member had seen, or sends behind although it is new. */
  behind: string | undefined;
  /** Whether the others of an e-mail get it, too. */
  hasCopies: boolean;
  /** Whether the conversation is closed once it is sent. */
  closes: boolean;
  /** Whether the conversation or the page was left. Who wrote it then hears of a failure elsewhere. */
  isLeft: boolean;
}

/**
 * Sends drafts. One is sent with one key until it changes, so it arrives once however often it is tried. `data` has the
 * messages that were written meanwhile: then nothing was sent.
 */
export function useSending({ session, onSent }: SendingProps) {
  const client = useQueryClient();
  const { keyFor, forget } = useIntentKey();
  const refOf = ({ draft }: Intent): DraftRef => ({ client, id: session.id, kind: draft.kind });
  return useMutation({
    mutationFn: (intent: Intent) => sendTaken(refOf(intent), intent, keyFor),
    onSuccess: (newer, sent) => {
      if (newer.length > 0) {
        store(refOf(sent));
        if (sent.isLeft) say(`${NOT_SENT}: others wrote meanwhile`, { isError: true });
        return;
      }
      forget();
      onSent(sent);
    },
    onError: ({ message }, intent) => {
      store(refOf(intent));
      if (intent.isLeft) say(`${NOT_SENT}: ${message}`, { isError: true });
    },
    onSettled: () => refreshNewest(client, session.id),
  });
}

const NOT_SENT = 'Your reply is still a draft';
/** Requests that outlive their page may have 64 KB. A longer reply stays a draft if its page is closed. */
const MAX_KEEPALIVE_LENGTH = 20_000;

/**
 * Sends a draft if it is still the one on the server: one that was sent from another tab or browser is not sent again. A
 * store of it whose answer was lost is none of elsewhere, so it is sent as it was stored.
 */
async function sendTaken(ref: DraftRef, intent: Intent, keyFor: (of: string) => string): Promise<HistoryItem[]> {
  const { draft, behind, hasCopies } = intent;
  const sendAs = (at: string | null) => {
    const key = keyFor(JSON.stringify([draft, behind, hasCopies, at]));
    return sendOnce({ path: { id: ref.id }, header: { 'idempotency-key': key } }, intent, at ?? undefined);
  };
  const taken = await takeDraft(ref, intent);
  if (!isSame(taken, draft)) throw new Error(SENT_ELSEWHERE);
  try {
    return await sendAs(taken.storedAt);
  } catch (error) {
    if (!isChanged(error)) throw error;
    await meetChange(ref);
    const now = await takeDraft(ref, intent);
    if (now.state === 'stored' && isSame(now, draft)) return sendAs(now.storedAt);
    throw new Error(SENT_ELSEWHERE);
  }
}

const SENT_ELSEWHERE = 'Not sent: this draft was sent or changed in another tab or browser';

interface SendParams {
  path: { id: string };
  header: { 'idempotency-key': string };
}

async function sendOnce(params: SendParams, intent: Intent, draftAt: string | undefined): Promise<HistoryItem[]> {
  const { draft, mentions } = intent;
  if (draft.kind === 'reply') return reply(params, intent, draftAt);
  const body = { text: draft.text, mentions, draft_updated_at: draftAt };
  await dataOf(api.POST('/chat/sessions/{id}/notes', { params, body }));
  return [];
}

/** Returns the messages behind the one that was seen, if there are any. */
async function reply(
  params: SendParams,
  { draft: { text, attachments }, behind, hasCopies, isLeft }: Intent,
  draftAt: string | undefined,
) {
  const files = attachments.map(({ name, url }) => ({ name, url }));
  const { error, response } = await api.POST('/chat/sessions/{id}/send', {
    params,
    keepalive: isLeft && text.length < MAX_KEEPALIVE_LENGTH,
    body: {
      sender: 'agent',
      message: { type: 'text', text, attachments: files },
      should_take_over_session_from_ai: true,
      copies: hasCopies,
      expected_last_id: behind,
      draft_updated_at: draftAt,
    },
  });
  if (response.ok) return [];
  if (error !== undefined && 'items' in error && error.items !== undefined) return error.items;
  if (response.status === 401) window.dispatchEvent(new Event('signed-out'));
  throw new ApiError(response.status, error);
}
