import { useEffect, useRef, useState } from 'preact/hooks';
import { useChat } from './context.ts';
import { Icon } from './icons.tsx';

const SCORES = [1, 2, 3, 4, 5];

/** Asks for a score, then for a comment, and sends both once. A score is sent also by a visitor who leaves then. */
export function CsatCard({ isScored }: { isScored: boolean }) {
  const { chat, t } = useChat();
  const [score, setScore] = useState(0);
  const [comment, setComment] = useState('');
  const [isSent, setIsSent] = useState(false);
  const card = useRef<HTMLFormElement>(null);
  useEffect(() => card.current?.scrollIntoView({ block: 'end' }), [score > 0]);
  const latest = useRef({ score, comment, isSent });
  latest.current = { score, comment, isSent: isSent || isScored };
  const submit = async () => {
    setIsSent(true);
    if ((await chat.score(latest.current.score, latest.current.comment)) === undefined) setIsSent(false);
  };
  useEffect(() => {
    const leave = () => {
      if (latest.current.score > 0 && !latest.current.isSent) void submit();
    };
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, []);
  if (isScored || isSent)
    return (
      <p class="notice" role="status">
        {t('csatThanks')}
      </p>
    );
  return (
    <form
      ref={card}
      class="card csat"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <fieldset class="scores">
        <legend>{t('csat')}</legend>
        {SCORES.map((n) => (
          <button
            type="button"
            key={n}
            aria-pressed={score === n}
            class={n <= score ? 'chosen' : ''}
            aria-label={t('csatScore', { n })}
            onClick={() => setScore(n)}
          >
            <Icon name="star" />
          </button>
        ))}
      </fieldset>
      {score > 0 && (
        <>
          <label>
            {t('csatComment')}
            <textarea
              rows={2}
              value={comment}
              maxLength={5_000}
              onInput={({ currentTarget }) => setComment(currentTarget.value)}
            />
          </label>
          <button class="primary" type="submit">
            {t('submit')}
          </button>
        </>
      )}
    </form>
  );
}

/** Asks who the visitor is and what else the page wants to know, before the first message. */
export function DetailsForm({
  asksName,
  asksEmail,
  extra,
  onDone,
}: {
  asksName: boolean;
  asksEmail: boolean;
  /** Optional fields, by their names. */
  extra: string[];
  onDone: () => void;
}) {
  const { chat, t } = useChat();
  const { prefill, welcome } = chat.options;
  const { name, email } = prefill ?? {};
  return (
    <form
      class="card details"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        const textOf = (field: string) => String(given.get(field) ?? '').trim() || undefined;
        const answers = extra.map((field, index) => [field, textOf(`extra-${index}`)]).filter(([, answer]) => answer);
        chat.claim(
          { ...(asksName && { name: textOf('name') }), ...(asksEmail && { email: textOf('email') }) },
          Object.fromEntries(answers),
        );
        onDone();
      }}
    >
      {welcome?.title && <strong dir="auto">{welcome.title}</strong>}
      {welcome?.description && <span dir="auto">{welcome.description}</span>}
      {asksName && (
        <label>
          {t('name')}
          <input name="name" autocomplete="name" required maxLength={200} defaultValue={name} />
        </label>
      )}
      {asksEmail && (
        <label>
          {t('email')}
          <input name="email" type="email" autocomplete="email" required maxLength={254} defaultValue={email} />
        </label>
      )}
      {extra.map((field, index) => (
        <label key={field} dir="auto">
          {field}
          <input name={`extra-${index}`} maxLength={500} />
        </label>
      ))}
      <button class="primary" type="submit">
        {t('start')}
      </button>
    </form>
  );
}
