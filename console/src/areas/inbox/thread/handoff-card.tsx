import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import { lazily } from '../../../ui/lazily';
import { Button, Chip } from '../../../ui/parts';
import { shownMoment } from '../../../ui/times/time';
import type { Actions, HandoffPart } from '../actions';

const AskDialog = lazily(async () => (await import('../../../ui/dialogs/ask-dialog')).AskDialog);

type Handoff = Schemas['Handoff'];
type Part = Schemas['HandoffPart'];

interface HandoffProps {
  handoff: Handoff;
  actions: Actions;
  canWrite: boolean;
}

const TITLES: Record<Handoff['state'], string> = {
  pending: 'Being handed off',
  partial: 'Handed off in part',
  done: 'Handed off',
};
const TONES = { done: 'good', settled: 'good', failed: 'bad', parked: 'warn' } as const;
const SETTLED_BY_HAND: string[] = ['contact', 'ticket', 'comment', 'conversation'] satisfies HandoffPart[];
const mayBeSettled = (part: string): part is HandoffPart => SETTLED_BY_HAND.includes(part);

/** A reason of the AI is a code, one of a person a sentence. */
const reasonOf = (reason: string): string => (/^[a-z_]+$/.test(reason) ? reason.replaceAll('_', ' ') : reason);

/** The progress of a handoff in the ticketing system, and the remedies for a stuck one. */
export const HandoffCard = ({ handoff, actions, canWrite }: HandoffProps) => {
  const parts = handoff.parts ?? [];
  const isStuck = parts.some(({ state }) => state === 'parked' || state === 'failed');
  return (
    <section aria-label="Handoff" className="my-3 rounded-lg border border-line bg-surface p-3">
      <p className="flex flex-wrap items-baseline gap-x-2 font-medium">
        {TITLES[handoff.state]}
        <span className="text-xs font-normal text-quiet">{shownMoment(handoff.at)}</span>
      </p>
      {handoff.reason !== null && <p className="text-quiet">{reasonOf(handoff.reason)}</p>}
      {handoff.waits_for !== undefined && <p className="mt-1 text-warn-text">{handoff.waits_for}</p>}
      {handoff.note !== undefined && <p className="mt-1 text-quiet">{handoff.note}</p>}
      {handoff.summary !== null && (
        <details className="mt-1">
          <summary className="cursor-pointer text-link">Summary</summary>
          <p className="mt-1 break-words whitespace-pre-wrap text-quiet">{handoff.summary}</p>
        </details>
      )}
      <ul>
        {parts.map((part) => (
          <PartRow key={part.part} part={part} actions={actions} canWrite={canWrite} />
        ))}
      </ul>
      {canWrite && isStuck && (
        <Button className="mt-2" onClick={actions.retryHandoff}>
          Try again now
        </Button>
      )}
    </section>
  );
};

const PartRow = ({ part, actions, canWrite }: { part: Part } & Omit<HandoffProps, 'handoff'>) => {
  const [isAsking, setAsking] = useState(false);
  const { part: name, state, external_id, error, attempts, next_try_at } = part;
  const tone = state in TONES ? TONES[state as keyof typeof TONES] : 'plain';
  return (
    <li className="mt-2 border-t border-line pt-2">
      <div className="flex flex-wrap items-center gap-x-2">
        <span className="first-letter:uppercase">{name}</span>
        <Chip tone={tone}>{state}</Chip>
        {external_id !== null && <span className="min-w-0 truncate font-mono text-xs text-quiet">{external_id}</span>}
      </div>
      {(state === 'parked' || state === 'failed') && (
        <div className="mt-1 text-xs">
          {error !== null && <p className="break-words text-bad-text">{error}</p>}
          <p className="text-quiet">
            {attempts === 1 ? '1 try' : `${attempts} tries`}
            {next_try_at !== null && `, the next one ${shownMoment(next_try_at)}`}
          </p>
          {canWrite && mayBeSettled(name) && (
            <Button look="quiet" className="mt-1 h-6 px-1.5 text-xs" onClick={() => setAsking(true)}>
              Done by hand…
            </Button>
          )}
        </div>
      )}
      {isAsking && mayBeSettled(name) && (
        <AskDialog
          title={`The ${name} was made by hand`}
          text="It is not tried again. Leave the id empty if nobody needs it."
          field={`Id of the ${name} in the ticketing system`}
          action="Settle"
          onClose={() => setAsking(false)}
          onAnswer={(id) => actions.settlePart(name, id)}
        />
      )}
    </li>
  );
};
