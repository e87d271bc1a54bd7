import { safeHref } from '../rules/markdown.rules.ts';
import type { Outgoing } from '../storage.ts';
import type { Attachment, Citation, Item } from '../wire.ts';
import { ConfirmationCard } from './confirmation.tsx';
import { useChat, useNames } from './context.ts';
import { Icon } from './icons.tsx';
import { Link, Markdown } from './markdown.tsx';
import { Picture } from './picture.tsx';

/** A message of the history. The sender is named where it changes. */
export function Message({ item, isFirst, isLast }: { item: Item; isFirst: boolean; isLast: boolean }) {
  const { language } = useChat();
  const { kind } = item.sender;
  const isOwn = kind === 'user';
  const { text } = item.content;
  return (
    <div class={`message ${isOwn ? 'own' : 'theirs'}${isFirst ? ' first' : ''}`}>
      {!isOwn && isFirst && <Sender item={item} />}
      {text !== '' && (
        <div class="bubble" dir="auto">
          {isOwn ? text : <Markdown text={item.confirmation?.text ?? text} />}
        </div>
      )}
      {item.attachments?.map((file) => (
        <File key={file.url} file={file} />
      ))}
      {item.confirmation && <ConfirmationCard confirmation={item.confirmation} />}
      {item.citations && <Sources citations={item.citations} />}
      {kind === 'ai' && item.citations && <Vote id={item.publicId} />}
      {isLast && <time dateTime={item.sentAt}>{timeOf(item.sentAt, language)}</time>}
    </div>
  );
}

function Sender({ item: { sender } }: { item: Item }) {
  const names = useNames();
  const isAi = sender.kind === 'ai';
  return (
    <div class="sender">
      {isAi ? names.ai : sender.kind === 'agent' ? names.person(sender.name) : (sender.name ?? names.org)}
      {isAi && !/\bAI\b/.test(names.ai) && <span class="tag">AI</span>}
    </div>
  );
}

const timeOf = (at: string, language: string): string =>
  new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit' }).format(new Date(at));

function Sources({ citations }: { citations: Citation[] }) {
  const { t } = useChat();
  return (
    <ul class="sources" aria-label={t('sources')}>
      {citations.map(({ title, url }, index) => {
        const href = url === null ? undefined : safeHref(url);
        return <li key={index}>{href ? <Link href={href}>{title}</Link> : <span>{title}</span>}</li>;
      })}
    </ul>
  );
}

function Vote({ id }: { id: string }) {
  const { chat, state, t } = useChat();
  const vote = state.votes[id];
  return (
    <div class="votes">
      <button
        type="button"
        aria-label={t('helpful')}
        aria-pressed={vote === true}
        onClick={() => void chat.vote(id, true)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        aria-label={t('unhelpful')}
        aria-pressed={vote === false}
        onClick={() => void chat.vote(id, false)}
      >
        <Icon name="down" />
      </button>
    </div>
  );
}

function File({ file: { name, type, size, url } }: { file: Attachment }) {
  const { t, language } = useChat();
  const href = safeHref(url);
  const chip = (
    <span class="file">
      <Icon name="file" />
      <span>
        {name}
        <small>{sizeOf(size, language)}</small>
      </span>
    </span>
  );
  return (
    <a
      class="attachment"
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      download={name}
      aria-label={t('download', { name })}
    >
      {type.startsWith('image/') && href ? (
        <Picture url={href} name={name}>
          {chip}
        </Picture>
      ) : (
        chip
      )}
    </a>
  );
}

/** Returns a size in words, such as 1.2 MB. */
export function sizeOf(bytes: number, language: string): string {
  const [amount, unit] = bytes < 1024 ** 2 ? [bytes / 1024, 'kilobyte'] : [bytes / 1024 ** 2, 'megabyte'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 1 }).format(amount);
}

/** A message that the server has not confirmed yet. */
export function OutgoingMessage({ message }: { message: Outgoing }) {
  const { chat, state, t } = useChat();
  return (
    <div class="message own first">
      {message.text !== '' && (
        <div class={`bubble ${message.error ? 'failed' : 'pending'}`} dir="auto">
          {message.text}
        </div>
      )}
      {message.files.map((file) => (
        <File key={file.url} file={file} />
      ))}
      {message.error ? (
        <div class="status problem" role="alert">
          {t('failed')}: {message.error}{' '}
          <button type="button" onClick={() => void chat.retry(message.uuid)}>
            {t('retry')}
          </button>{' '}
          <button type="button" onClick={() => chat.discard(message.uuid)}>
            {t('discard')}
          </button>
        </div>
      ) : (
        state.isOffline && <div class="status">{t('sending')}…</div>
      )}
    </div>
  );
}
