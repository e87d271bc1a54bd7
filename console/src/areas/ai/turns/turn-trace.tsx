import { useQuery } from '@tanstack/react-query';
import { turnQuery } from '../../../api/ai';
import type { Schemas } from '../../../api/client';
import { failureOf, Skeleton } from '../../../ui/parts';
import { confidenceOf } from '../words';

type Turn = Schemas['Turn'];
type Step = Turn['steps'][number];

const PURPOSES: Record<Step['purpose'], string> = {
  gates: 'Checked whether it may answer',
  search: 'Searched the knowledge',
  plan: 'Decided what to do',
  call: 'Called an action',
  answer: 'Wrote the answer',
};
const MAX_PASSAGES = 5;

/** The steps of a turn, as somebody who asks reads them. */
export const TurnTrace = ({ turnId }: { turnId: string }) => {
  const turn = useQuery(turnQuery(turnId));
  return (
    <>
      {failureOf(turn)}
      {turn.isPending && <Skeleton rows={4} />}
      {turn.data !== undefined && <Trace turn={turn.data} />}
    </>
  );
};

/** The steps of a turn that was taken, or only previewed. */
export const Trace = ({ turn }: { turn: Pick<Turn, 'steps' | 'agent' | 'reason' | 'score' | 'cost'> }) => (
  <>
    <ol className="mt-1 space-y-2 border-l-2 border-line pl-2">
      {turn.steps.map((step) => (
        <li key={step.step}>
          <p className="font-medium">
            {PURPOSES[step.purpose]}
            <span className="ml-2 font-normal text-quiet">{step.latency_ms} ms</span>
          </p>
          <StepFacts step={step} />
        </li>
      ))}
    </ol>
    <p className="mt-1 text-quiet">
      {[turn.agent, turn.reason?.replaceAll('_', ' '), turn.score !== null && `confidence ${confidenceOf(turn)}`]
        .concat(turn.cost > 0 ? `cost ${turn.cost.toFixed(4)}` : null)
        .filter(Boolean)
        .join(' · ')}
    </p>
  </>
);

const StepFacts = ({ step }: { step: Step }) => (
  <ul className="space-y-0.5 text-quiet">
    {step.searches.map((search) => (
      <li key={search} className="break-words">
        “{search}”
      </li>
    ))}
    {step.passages.slice(0, MAX_PASSAGES).map(({ item_id, chunk, title, score }) => (
      <li key={`${item_id} ${chunk}`} className="flex gap-2">
        <span className="min-w-0 flex-1 truncate">{title}</span>
        <span className="tabular-nums">{score.toFixed(2)}</span>
      </li>
    ))}
    {step.passages.length > MAX_PASSAGES && <li>{step.passages.length - MAX_PASSAGES} more passages</li>}
    {step.calls.map(({ id, operation_id, state, status, reason }) => (
      <li key={id ?? operation_id} className="break-words">
        <span className="font-mono">{operation_id}</span>{' '}
        {[state.replaceAll('_', ' '), status, reason].filter(Boolean).join(', ')}
      </li>
    ))}
    {step.dropped.map(({ text, because }) => (
      <li key={text} className="break-words">
        Not said: “{text}”, because {because.replaceAll('_', ' ')}
      </li>
    ))}
    {step.tries
      .flatMap(({ model, problem }) => (problem === null ? [] : [`${model}: ${problem}`]))
      .map((problem) => (
        <li key={problem} className="break-words text-bad-text">
          {problem}
        </li>
      ))}
  </ul>
);
