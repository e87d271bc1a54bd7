import { useQuery } from '@tanstack/react-query';
import { Paperclip } from 'lucide-react';
import { useState } from 'react';
import type { HistoryItem } from '../../../api/caches';
import { api, dataOf } from '../../../api/client';
import { lazily } from '../../../ui/lazily';
import { shownMoment } from '../../../ui/times/time';
import { Outward } from './outward';

const Trace = lazily(async () => (await import('../../ai/turns/turn-trace')).TurnTrace);

type MessageEvent = Extract<HistoryItem['event'], { type: 'message' }>;

interface PartsProps {
  id: string;
  sessionId: string;
  event: MessageEvent;
}

/** What a message has besides its text: files, calls, sources and how it came about. */
export const MessageParts = ({ id, sessionId, event }: PartsProps) => (
  <>
    <Attachments files={event.attachments} />
    {event.action_calls?.map(({ id, operation_id, state }) => (
      <p key={id} className="mt-1 text-xs text-quiet">
        <span className="font-mono">{operation_id}</span> {state.replaceAll('_', ' ')}
      </p>
    ))}
    {event.citations !== undefined && event.citations.length > 0 && (
      <Citations messageId={id} sessionId={sessionId} citations={event.citations} />
    )}
    {event.turn_id !== undefined && <TurnTrace turnId={event.turn_id} />}
  </>
);

/** How a message of the AI came about, loaded when somebody asks. */
const TurnTrace = ({ turnId }: { turnId: string }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="mt-1 text-xs" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="cursor-pointer text-link">How it came about</summary>
      {isOpen && <Trace turnId={turnId} />}
    </details>
  );
};

/** The types of files that are shown. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

const Attachments = ({ files }: { files: MessageEvent['attachments'] }) =>
  files.length === 0 ? null : (
    <ul className="mt-2 space-y-1">
      {files.map(({ name, url, mime_type }) => (
        <li key={url}>
          <a href={url} download={name} className="inline-block max-w-full text-link underline">
            {PICTURES.includes(mime_type) && (
              <img src={url} alt="" loading="lazy" className="h-40 max-w-full rounded object-contain object-left" />
            )}
            <Paperclip size={13} aria-hidden="true" className="mr-1 inline" />
            {name}
          </a>
        </li>
      ))}
    </ul>
  );

const CHANGED_STALE_MS = 60_000;

/** The citations of a conversation with outdated quotes. */
const changedQuery = (session_id: string) => ({
  queryKey: ['listChangedCitations', session_id],
  queryFn: () => dataOf(api.GET('/autopilot/citations/changed', { params: { query: { session_id, limit: 100 } } })),
  staleTime: CHANGED_STALE_MS,
});

interface CitationsProps {
  messageId: string;
  sessionId: string;
  citations: NonNullable<MessageEvent['citations']>;
}

const Citations = ({ messageId, sessionId, citations }: CitationsProps) => {
  const items = useQuery(changedQuery(sessionId)).data?.items ?? [];
  const changes = new Map(
    items.flatMap((item) => (item.message_id === messageId ? [[keyOf(item), item.changed_at]] : [])),
  );
  return (
    <details className="mt-2 text-xs">
      <summary className="cursor-pointer text-link">
        {citations.length === 1 ? '1 source' : `${citations.length} sources`}
        {changes.size > 0 && <span className="text-warn-text">, changed since</span>}
      </summary>
      <ul className="mt-1 space-y-1">
        {citations.map(({ item_id, title, url, quote }) => (
          <li key={keyOf({ item_id, quote })}>
            {url !== null && /^https?:/.test(url) ? <Outward href={url}>{title}</Outward> : title}
            <ChangedSince at={changes.get(keyOf({ item_id, quote }))} isQuoted={quote !== null} />
            {quote !== null && (
              <blockquote dir="auto" className="border-s-2 border-line ps-2 text-quiet">
                {quote}
              </blockquote>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
};

/** An answer may quote an item more than once. */
const keyOf = ({ item_id, quote }: { item_id: string; quote: string | null }): string => `${item_id} ${quote ?? ''}`;

const ChangedSince = ({ at, isQuoted }: { at: string | undefined; isQuoted: boolean }) =>
  at === undefined ? null : (
    <>
      <span className="ml-1.5 rounded bg-warn px-1.5 py-0.5 text-warn-text">
        Page changed since ({shownMoment(at)})
      </span>
      <p className="mt-0.5 text-quiet">
        {isQuoted
          ? 'What is quoted is no longer on the page word for word.'
          : 'The passage that the answer points at is no longer on the page as it was.'}
      </p>
    </>
  );
