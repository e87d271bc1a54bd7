import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useRef } from 'react';
import type { HistoryItem } from '../../../api/caches';
import { ApiError, api, dataOf, type Schemas } from '../../../api/client';
import { refreshNewest } from '../../../api/history';
import { say } from '../../../app/undo';
import { type Draft, type DraftRef, isSame } from './draft-entries';
import { isChanged, MAX_KEEPALIVE_LENGTH, meetChange, store, takeDraft } from './draft-store';

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

/** A request whose outcome is unknown. Repeated as it was, it acts once. */
interface Attempt {
  of: string;
  key: string;
  behind: string | undefined;
  /** When the server's draft was updated that is sent. null: it has none. */
  at: string | null;
}

/**
 * Sends drafts. One is sent with one key until it changes, so it arrives once however often it is tried. `data` has the
 * messages that were written meanwhile: then nothing was sent.
 */
export function useSending({ session, onSent }: SendingProps) {
  const client = useQueryClient();
  const attempt = useRef<Attempt>(undefined);
  const refOf = ({ draft }: Intent): DraftRef => ({ client, id: session.id, kind: draft.kind });
  return useMutation({
    mutationFn: (intent: Intent) => sendTaken(refOf(intent), intent, attempt),
    onSuccess: (newer, sent) => {
      attempt.current = undefined;
      if (newer.length > 0) {
        store(refOf(sent));
        if (sent.isLeft) say(`${NOT_SENT}: others wrote meanwhile`, { isError: true });
        return;
      }
      onSent(sent);
    },
    onError: (error, intent) => {
      if (error instanceof ApiError && error.status < UNKNOWN_FROM) attempt.current = undefined;
      store(refOf(intent));
      if (intent.isLeft) say(`${NOT_SENT}: ${error.message}`, { isError: true });
    },
    onSettled: () => refreshNewest(client, session.id),
  });
}

/** The server may have done what it answers so to. */
const UNKNOWN_FROM = 500;
const NOT_SENT = 'Your reply is still a draft';

/**
 * Sends a draft if it is still the one on the server: one that was sent from another tab or browser is not sent again. If the
 * server's newer draft is our own store whose answer was lost, the draft is sent with its new time.
 */
async function sendTaken(ref: DraftRef, intent: Intent, attempt: RefObject<Attempt | undefined>) {
  const { draft, hasCopies } = intent;
  const of = JSON.stringify([draft, hasCopies]);
  const sendAs = (now: string | null) => {
    if (attempt.current?.of !== of) attempt.current = { of, key: crypto.randomUUID(), behind: intent.behind, at: now };
    const { key, behind, at } = attempt.current;
    const params = { path: { id: ref.id }, header: { 'idempotency-key': key } };
    return sendOnce(params, { ...intent, behind }, at ?? undefined);
  };
  const taken = await takeDraft(ref, intent);
  if (!isSame(taken, draft)) throw new Error(SENT_ELSEWHERE);
  try {
    return await sendAs(taken.storedAt);
  } catch (error) {
    if (!isChanged(error)) throw error;
    attempt.current = undefined;
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
