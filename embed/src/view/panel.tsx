import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Chat } from '../chat.ts';
import { loadLanguage } from '../words.ts';
import { Composer } from './composer.tsx';
import { ChatContext, useChat, useNames } from './context.ts';
import { DetailsForm } from './forms.tsx';
import { Icon } from './icons.tsx';
import { Log } from './log.tsx';
import styles from './panel.css';
import { Picture } from './picture.tsx';

/** Loads the words, shows the panel in an element of the page's shadow root, and returns what removes it. */
export function mount(chat: Chat, into: HTMLElement): () => void {
  const wanted = [chat.options.language || document.documentElement.lang, ...navigator.languages];
  const { config, language } = chat.state();
  if (!language) void loadLanguage(chat.client, wanted, config?.languages ?? null).then(chat.setLanguage);
  render(
    <ChatContext.Provider value={chat}>
      <Panel />
    </ChatContext.Provider>,
    into,
  );
  return () => render(null, into);
}

export { styles };

/** The open chat: a dialog beside the page, not over it. */
export function Panel() {
  const { chat, state, t } = useChat();
  const { org } = useNames();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const inside = panel.current as HTMLElement;
    const focusFirst = () =>
      (inside.querySelector<HTMLElement>('footer :is(input:not([hidden]), textarea)') ?? inside).focus({
        preventScroll: true,
      });
    focusFirst();
    // A control that is gone after it was used leaves the focus in the panel.
    let focused: Element | null = null;
    const note = ({ target }: FocusEvent) => (focused = target as Element);
    const watch = new MutationObserver(() => {
      if (focused === null || focused.isConnected) return;
      focused = null;
      focusFirst();
    });
    inside.addEventListener('focusin', note);
    watch.observe(inside, { childList: true, subtree: true });
    return () => watch.disconnect();
  }, []);
  return (
    <section
      ref={panel}
      class="panel"
      role="dialog"
      aria-label={org}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.isComposing) {
          event.stopPropagation();
          chat.close();
        }
      }}
    >
      <Header />
      {state.refusal ? (
        <p class="notice" role="alert">
          {t('refused')}
        </p>
      ) : (
        <>
          <Log />
          <Footer />
        </>
      )}
    </section>
  );
}

function Header() {
  const { chat, state, t } = useChat();
  const { org, logo, ai, person } = useNames();
  const { session, config } = state;
  const { name, kind } = session?.assignee ?? { name: null, kind: 'none' };
  const line = kind === 'human' ? person(name) : config?.ai && !session?.isHandedOff ? ai : t('team');
  return (
    <header>
      <span class="logo" aria-hidden="true">
        {logo ? (
          <Picture url={logo} name="">
            {[...org][0]}
          </Picture>
        ) : (
          [...org][0]
        )}
      </span>
      <div>
        <h2>{org}</h2>
        <p>{line}</p>
      </div>
      <button type="button" aria-label={t('close')} onClick={() => chat.close()}>
        <Icon name="close" />
      </button>
    </header>
  );
}

function Footer() {
  const { chat, state, t } = useChat();
  const { config, session, items, outgoing } = state;
  const [isIntroduced, setIsIntroduced] = useState(false);
  const isNew = items.length === 0 && outgoing.length === 0;
  const isAway = config?.hours?.open === false;
  const { name, email } = chat.person.claims ?? {};
  const extra = chat.options.collect && !email ? (chat.options.extraFields ?? []) : [];
  const asksName = (chat.options.collect ?? config?.collect.name ?? false) && !name;
  const asksEmail = (chat.options.collect ?? (config?.collect.email || isAway) ?? false) && !email;
  const asks = isNew && !isIntroduced && !chat.user && (asksName || asksEmail || extra.length > 0);
  return (
    <footer>
      <Notices isAway={isAway} />
      {asks ? (
        <DetailsForm asksName={asksName} asksEmail={asksEmail} extra={extra} onDone={() => setIsIntroduced(true)} />
      ) : (
        <>
          {isNew && <QuickReplies />}
          <Composer />
        </>
      )}
      <div class="below">
        {session?.isOpened === false ? (
          <button type="button" class="link" onClick={() => chat.startNew()}>
            {t('newChat')}
          </button>
        ) : (
          !session?.isHandedOff &&
          !asks && (
            <button type="button" class="link" onClick={() => void chat.requestPerson(t('personText'))}>
              {t('person')}
            </button>
          )
        )}
      </div>
    </footer>
  );
}

function Notices({ isAway }: { isAway: boolean }) {
  const { state, t, language } = useChat();
  const { config, isOffline, error, session } = state;
  const at = config?.hours?.next_open_at;
  const when = at
    ? new Intl.DateTimeFormat(language, { weekday: 'long', hour: 'numeric', minute: '2-digit' }).format(new Date(at))
    : '';
  return (
    <div role="status" class="notices">
      {isOffline && <p class="notice warning">{t('offline')}</p>}
      {error !== undefined && <p class="notice problem">{error || t('error')}</p>}
      {session?.isOpened === false && <p class="notice">{t('solved')}</p>}
      {isAway && at && <p class="notice">{t('away', { when })}</p>}
      {config?.ai?.disclosure && (
        <p class="notice" dir="auto">
          {config.ai.disclosure}
        </p>
      )}
    </div>
  );
}

function QuickReplies() {
  const { chat, state } = useChat();
  const replies = chat.options.quickReplies ?? state.config?.quick_replies ?? [];
  if (replies.length === 0) return null;
  return (
    <div class="replies">
      {replies.map((reply) => (
        <button type="button" dir="auto" key={reply} onClick={() => void chat.send(reply, [])}>
          {reply}
        </button>
      ))}
    </div>
  );
}
