import { useEffect, useState } from 'preact/hooks';
import { argumentsOf } from '../rules/history.rules.ts';
import type { Confirmation } from '../wire.ts';
import { useChat } from './context.ts';

/** What the AI asks before it calls an action: its fields, and how long there is to answer. */
export function ConfirmationCard({ confirmation }: { confirmation: Confirmation }) {
  const { chat, state, t } = useChat();
  const { id, fields, form_action_id } = confirmation;
  const leftMs = useTimeLeft(confirmation.expires_at);
  const [values, setValues] = useState(fields.map(({ value }) => value));
  const [isBusy, setIsBusy] = useState(false);
  const decided = state.decided[id];
  const isOpen = decided === undefined && leftMs > 0;
  const isForm = form_action_id !== undefined && isOpen;
  const decide = async (decision: 'confirm' | 'reject') => {
    setIsBusy(true);
    const isChanged = decision === 'confirm' && fields.some(({ value }, index) => value !== values[index]);
    await chat.decide(id, decision, isChanged ? argumentsOf(fields, values) : undefined);
    setIsBusy(false);
  };
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void decide('confirm');
      }}
    >
      {fields.map(({ name, value }, index) =>
        isForm ? (
          <label key={name}>
            {name}
            <input
              value={values[index]}
              onInput={({ currentTarget }) =>
                setValues(values.map((one, at) => (at === index ? currentTarget.value : one)))
              }
            />
          </label>
        ) : (
          <div class="field" key={name}>
            <span>{name}</span>
            <b dir="auto">{value}</b>
          </div>
        ),
      )}
      {isOpen ? (
        <>
          <div class="buttons">
            <button class="primary" type="submit" disabled={isBusy}>
              {t('yes')}
            </button>
            <button type="button" disabled={isBusy} onClick={() => void decide('reject')}>
              {t('no')}
            </button>
          </div>
          <small>{t('minutesLeft', { time: durationOf(leftMs) })}</small>
        </>
      ) : (
        <small role="status">
          {t(decided === 'confirm' ? 'accepted' : decided === 'reject' ? 'rejected' : 'expired')}
        </small>
      )}
    </form>
  );
}

const SECOND_MS = 1_000;
const HOUR_SECONDS = 3_600;

function useTimeLeft(until: string): number {
  const left = () => Date.parse(until) - Date.now();
  const [leftMs, setLeftMs] = useState(left);
  useEffect(() => {
    const timer = setInterval(() => setLeftMs(left()), SECOND_MS);
    return () => clearInterval(timer);
  }, [until]);
  return leftMs;
}

/** Returns a duration as 4:07 or 23:59:00. */
function durationOf(ms: number): string {
  const seconds = Math.floor(ms / SECOND_MS);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'));
  const hours = Math.floor(seconds / HOUR_SECONDS);
  return hours > 0 ? `${hours}:${parts.join(':')}` : parts.join(':').replace(/^0/, '');
}
