import { useState } from 'react';
import type { HistoryItem } from '../../../api/caches';
import type { Schemas } from '../../../api/client';
import { lazily } from '../../../ui/lazily';
import { Button } from '../../../ui/parts';
import { shownClock } from '../../../ui/times/time';
import { proposeReply } from '../composer/proposals';
import { authorOf, textOf } from './items';
import { Outward } from './outward';
import { Redaction } from './redaction';

const Original = lazily(async () => (await import('./original')).Original);
const MailHead = lazily(async () => (await import('./mail-head')).MailHead);
const Answer = lazily(async () => (await import('./answer')).Answer);
const DeliveryState = lazily(async () => (await import('./delivery-state')).DeliveryState);
const MessageParts = lazily(async () => (await import('./message-parts')).MessageParts);

/** The channels on which a message goes out as a delivery with the same id. */
const SENT_ON = ['email', 'sms', 'whatsapp'];

interface MessageProps {
  item: HistoryItem;
  session: Schemas['ChatSession'];
  me: Schemas['Me'];
}

/** A message or a note. Texts of strangers are text, with links that only open pages. */
export const Message = ({ item, session, me }: MessageProps) => {
  const { event } = item;
  const [isShown, show] = useState(false);
  const text = textOf(item);
  const isNote = event.type === 'human_agent_comment';
  const isOwn = event.type !== 'message' || event.sender.type !== 'contact';
  const look = isNote ? 'border-l-4 border-note-line bg-note' : isOwn ? 'bg-selected' : 'border border-line bg-surface';
  return (
    <article className={`flex flex-col py-1.5 ${isOwn ? 'items-end' : 'items-start'}`}>
      <div className={`max-w-[min(42rem,90%)] min-w-0 rounded-lg px-3 py-2 ${look}`}>
        {isNote && <p className="mb-1 text-xs font-medium text-note-text">{noteLabelOf(event)}</p>}
        {event.type === 'message' && session.channel.type === 'email' && <MailHead event={event} />}
        {text !== null && isMarkdown(item, session) ? (
          <Answer text={text} />
        ) : (
          <p dir="auto" className="break-words whitespace-pre-wrap">
            {text === null ? <em className="text-quiet">Redacted</em> : <Linked text={text} />}
          </p>
        )}
        {isProposal(event) && text !== null && me.scopes.includes('chat-sessions:write') && (
          <Button className="mt-2" title="Put it into your reply" onClick={() => proposeReply(text)}>
            Use
          </Button>
        )}
        {event.type === 'message' && hasParts(event) && (
          <MessageParts id={item.id} sessionId={session.id} event={event} />
        )}
        {isShown && <Original sessionId={session.id} messageId={item.id} />}
      </div>
      <div className="mt-0.5 flex max-w-[90%] flex-wrap items-center px-1 text-xs text-quiet">
        <span>
          {authorOf(item)} · {shownClock(item.created_at)}
          {event.type === 'message' && event.edited_at !== undefined && ' · edited by the customer'}
          {event.type === 'message' && event.deleted_at !== undefined && ' · deleted by the customer'}
        </span>
        {!isOwn && text !== null && session.channel.type === 'email' && (
          <Button look="quiet" className="h-6 px-1.5 text-xs" aria-expanded={isShown} onClick={() => show(!isShown)}>
            {isShown ? 'Hide original' : 'Show original'}
          </Button>
        )}
        {isOwn && !isNote && SENT_ON.includes(session.channel.type) && (
          <DeliveryState id={item.id} scopes={me.scopes} />
        )}
        {text !== null && me.scopes.includes('redaction:write') && (
          <Redaction sessionId={session.id} messageId={item.id} />
        )}
      </div>
    </article>
  );
};

/** Whether the customer sees a text as Markdown: the widget shows all answers so, and the AI writes it for the API too. */
function isMarkdown({ event }: HistoryItem, { channel }: Schemas['ChatSession']): boolean {
  if (event.type === 'human_agent_comment') return false;
  const sender = event.type === 'message' ? event.sender.type : undefined;
  return (channel.type === 'web' && sender !== 'contact') || (channel.type === 'api' && sender === 'ai');
}

type MessageEvent = Extract<HistoryItem['event'], { type: 'message' }>;

const hasParts = ({ attachments, action_calls, citations, turn_id }: MessageEvent): boolean =>
  attachments.length > 0 || (action_calls ?? citations ?? turn_id) !== undefined;

const isProposal = (event: HistoryItem['event']): boolean => 'is_draft' in event && event.is_draft === true;

const noteLabelOf = (event: HistoryItem['event']): string =>
  isProposal(event) ? 'A reply that the AI proposes, not sent' : 'Note, not seen by the customer';

const Linked = ({ text }: { text: string }) =>
  text.split(/(https?:\/\/[^\s<>()"']+)/).map((part, n) =>
    n % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other key
      <Outward key={n} href={part}>
        {part}
      </Outward>
    ) : (
      part
    ),
  );
