import { Paperclip } from 'lucide-react';
import { useState } from 'react';
import type { HistoryItem } from '../../../api/caches';
import { lazily } from '../../../ui/lazily';
import { Outward } from './outward';

const Trace = lazily(async () => (await import('../../ai/turns/turn-trace')).TurnTrace);

type MessageEvent = Extract<HistoryItem['event'], { type: 'message' }>;

/** What a message has besides its text: files, calls, sources and how it came about. */
export const MessageParts = ({ event }: { event: MessageEvent }) => (
  <>
    <Attachments files={event.attachments} />
    {event.action_calls?.map(({ id, operation_id, state }) => (
      <p key={id} className="mt-1 text-xs text-quiet">
        <span className="font-mono">{operation_id}</span> {state.replaceAll('_', ' ')}
      </p>
    ))}
    {event.citations !== undefined && <Citations citations={event.citations} />}
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

const Attachments = ({ files }: { files: MessageEvent['attachments'] }) =>
  files.length === 0 ? null : (
    <ul className="mt-2 space-y-1">
      {files.map(({ name, url }) => (
        <li key={url}>
          <a href={url} download={name} className="inline-flex items-center gap-1 text-link underline">
            <Paperclip size={13} aria-hidden="true" />
            {name}
          </a>
        </li>
      ))}
    </ul>
  );

const Citations = ({ citations }: { citations: NonNullable<MessageEvent['citations']> }) =>
  citations.length === 0 ? null : (
    <details className="mt-2 text-xs">
      <summary className="cursor-pointer text-link">
        {citations.length === 1 ? '1 source' : `${citations.length} sources`}
      </summary>
      <ul className="mt-1 space-y-1">
        {citations.map(({ item_id, title, url, quote }) => (
          <li key={item_id}>
            {url !== null && /^https?:/.test(url) ? <Outward href={url}>{title}</Outward> : title}
            {quote !== null && <blockquote className="border-l-2 border-line pl-2 text-quiet">{quote}</blockquote>}
          </li>
        ))}
      </ul>
    </details>
  );
