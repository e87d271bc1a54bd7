import { useEffect, useRef, useState } from 'preact/hooks';
import { greetingsOf } from '../delivery.ts';
import type { Item } from '../wire.ts';
import { useChat, useNames } from './context.ts';
import { CsatCard } from './forms.tsx';
import { Icon } from './icons.tsx';
import { Markdown } from './markdown.tsx';
import { Message, OutgoingMessage } from './message.tsx';

const NEAR_END = 80;
const PAUSE_MS = 5 * 60_000;

/** The messages. It stays at its end, unless the visitor has scrolled away from it. */
export function Log() {
  const { state, t } = useChat();
  const { items, outgoing, activity, session } = state;
  const log = useRef<HTMLDivElement>(null);
  const [isAway, setIsAway] = useState(false);
  const toEnd = () => log.current?.scrollTo(0, log.current.scrollHeight);
  const isAtEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement) =>
    scrollHeight - scrollTop - clientHeight < NEAR_END;
  useEffect(() => {
    if (!isAway) toEnd();
  }, [items, outgoing, activity.ai_label, activity.agent_typing]);
  useEffect(toEnd, [outgoing.length]);
  const shown = items.filter(isShown);
  return (
    <div class="scroll">
      <div
        ref={log}
        class="log"
        role="log"
        aria-label={t('messages')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
        tabIndex={0}
        onLoadCapture={() => isAway || toEnd()}
        onScroll={({ currentTarget }) => setIsAway(!isAtEnd(currentTarget))}
      >
        {items.length === 0 && <Greetings />}
        {shown.map((item, index) => (
          <LogItem key={item.publicId} item={item} before={shown[index - 1]} after={shown[index + 1]} />
        ))}
        {outgoing.map((message) => (
          <OutgoingMessage key={message.uuid} message={message} />
        ))}
        {session?.isHandedOff && session.assignee.kind !== 'human' && <p class="notice">{t('personAsked')}</p>}
        <Writing />
      </div>
      {isAway && (
        <button type="button" class="jump" aria-label={t('jump')} onClick={toEnd}>
          <Icon name="arrow" />
        </button>
      )}
    </div>
  );
}

const isShown = ({ type, systemMessagePayload }: Item): boolean =>
  type === 'message' || systemMessagePayload.type === 'csat_requested';

function LogItem({ item, before, after }: { item: Item; before: Item | undefined; after: Item | undefined }) {
  const { state, language } = useChat();
  if (item.type === 'system') {
    const { items } = state;
    const isScored = items
      .slice(items.indexOf(item))
      .some(({ systemMessagePayload }) => systemMessagePayload.type === 'csat_submitted');
    return <CsatCard isScored={isScored} />;
  }
  const isSame = (other: Item | undefined) =>
    other?.type === 'message' &&
    other.sender.kind === item.sender.kind &&
    other.sender.name === item.sender.name &&
    Math.abs(Date.parse(other.sentAt) - Date.parse(item.sentAt)) < PAUSE_MS;
  const dayOf = (at: string) => new Date(at).toDateString();
  const isNewDay = dayOf(before?.sentAt ?? item.sentAt) !== dayOf(item.sentAt);
  return (
    <>
      {isNewDay && (
        <p class="day">{new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(item.sentAt))}</p>
      )}
      <Message item={item} isFirst={!isSame(before) || isNewDay} isLast={!isSame(after)} />
    </>
  );
}

function Greetings() {
  const { chat, state } = useChat();
  const { org } = useNames();
  const greetings = greetingsOf({ options: chat.options, state: () => state });
  return (
    <>
      {greetings.map((greeting, index) => (
        <div class={`message theirs${index === 0 ? ' first' : ''}`} key={index}>
          {index === 0 && <div class="sender">{org}</div>}
          <div class="bubble" dir="auto">
            <Markdown text={greeting} />
          </div>
        </div>
      ))}
    </>
  );
}

/** Shows that an answer is being written, and by whom. */
function Writing() {
  const { state, t, language } = useChat();
  const { ai, person } = useNames();
  const { activity, session } = state;
  const name = activity.agent_typing ? person(session?.assignee.name) : activity.ai_label ? ai : undefined;
  if (name === undefined) return null;
  const label = activity.agent_typing || language !== 'en' ? '' : activity.ai_label;
  return (
    <div class="message theirs first writing">
      <div class="bubble">
        <span class="visually-hidden">{t('writing', { name })}</span>
        <i />
        <i />
        <i />
      </div>
      {label && <small aria-hidden="true">{label}</small>}
    </div>
  );
}
