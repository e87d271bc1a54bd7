import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schemas } from '../../../api/client';
import type { Run, RunStep } from '../../../api/runs';
import { JsonView } from '../../../ui/json/json-view';
import { Chip, ICON_BUTTON } from '../../../ui/parts';
import { shownFully } from '../../../ui/times/moments';
import { STEP_STATES } from '../states';
import { shownLength, shownUntil } from '../times';
import { iterationOf } from './spans';

interface DetailsProps {
  run: Run;
  step: RunStep | undefined;
  onClose: () => void;
}

const TONES = { completed: 'good', failed: 'bad', waiting: 'warn', in_progress: 'plain', skipped: 'plain' } as const;

/** A step's input, output, and the reason of its outcome. */
export const StepDetails = ({ run, step, onClose }: DetailsProps) =>
  step === undefined ? (
    <Trigger run={run} onClose={onClose} />
  ) : (
    <section aria-label={`Step ${step.name ?? step.id}`} className="min-h-0 flex-1 space-y-3 overflow-y-auto p-4">
      <header className="flex items-start gap-2">
        <Back onClose={onClose} />
        <div className="min-w-0 flex-1">
          <h2 className="font-semibold break-words">
            {step.name ?? step.id} {iterationOf(step.path)}
          </h2>
          <p className="text-xs text-quiet">
            {step.type} · <code className="font-mono">{step.id}</code>
          </p>
        </div>
        {step.next_try_at === null ? (
          <Chip tone={TONES[step.status]}>{STEP_STATES[step.status]}</Chip>
        ) : (
          <Chip tone="warn">Waits for a retry</Chip>
        )}
      </header>
      <Times step={step} />
      {step.error !== null && (
        <p className="rounded-md bg-bad p-2 break-words text-bad-text">
          <span className="sr-only">Error: </span>
          {step.error}
        </p>
      )}
      {step.skipped_because !== null && <p className="rounded-md bg-sunken p-2">Skipped: {step.skipped_because}</p>}
      {step.branch_reason !== null && <Branch reason={step.branch_reason} />}
      {step.input !== null && <JsonView key={`input ${step.path}`} title="Input" value={step.input} />}
      {step.output !== null && <JsonView key={`output ${step.path}`} title="Output" value={step.output} />}
      <Retries retries={run.retries.filter(({ path }) => path === step.path)} />
      <JsonView key={`trigger ${run.id}`} title="Trigger" value={run.trigger_output} />
    </section>
  );

const Back = ({ onClose }: Pick<DetailsProps, 'onClose'>) => (
  <button
    type="button"
    aria-label="Back to the steps"
    onClick={onClose}
    className={`${ICON_BUTTON} size-8 min-[900px]:hidden`}
  >
    <ArrowLeft size={16} aria-hidden="true" />
  </button>
);

const Trigger = ({ run, onClose }: Omit<DetailsProps, 'step'>) => (
  <section aria-label="Step" className="min-h-0 flex-1 space-y-3 overflow-y-auto p-4">
    <header className="flex items-center gap-2">
      <Back onClose={onClose} />
      <h2 className="font-semibold">{run.steps.length > 0 ? 'No such step' : 'No steps'}</h2>
    </header>
    {run.steps.length > 0 && <p className="text-quiet">Choose a step to see what it did.</p>}
    <JsonView title="Trigger" value={run.trigger_output} />
  </section>
);

const Times = ({ step }: { step: RunStep }) => {
  const { started_at, ended_at, attempts, max_attempts, next_try_at } = step;
  const until = step.status === 'waiting' ? untilOf(step.input) : undefined;
  const length = (ended_at === null ? Date.now() : Date.parse(ended_at)) - Date.parse(started_at);
  return (
    <dl className="grid grid-cols-[5rem_minmax(0,1fr)] gap-x-2 gap-y-1 text-xs [&_dt]:text-quiet">
      <Line name="Began">{shownFully(started_at)}</Line>
      <Line name="Took">{shownLength(length)}</Line>
      {max_attempts !== null && (
        <Line name="Attempts">
          {attempts} <span className="text-quiet">· up to {max_attempts} a round</span>
        </Line>
      )}
      {next_try_at !== null && <Line name="Next try">{shownUntil(next_try_at)}</Line>}
      {until !== undefined && <Line name="Continues">{shownUntil(until)}</Line>}
    </dl>
  );
};

const Line = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd className="tabular-nums">{children}</dd>
  </>
);

const untilOf = (input: unknown): string | undefined =>
  typeof input === 'object' && input !== null && 'until' in input && typeof input.until === 'string'
    ? input.until
    : undefined;

const UNARY = ['is_empty', 'is_not_empty'];

/** Why a block took its branch: the condition with its values. */
const Branch = ({ reason: { branch, operator, left, right } }: { reason: Schemas['WorkflowBranchReason'] }) => (
  <section aria-label="Branch" className="rounded-md border border-line p-2">
    <p>
      Went on in <strong className="font-semibold">{branch.replace('.', ' ')}</strong>:
    </p>
    <p className="mt-1 font-mono text-xs break-words">
      {branch === 'default' ? (
        <>
          <Value value={left} /> <span className="text-quiet">is none of the cases</span>
        </>
      ) : (
        <>
          {branch === 'else' && <span className="text-quiet">not </span>}
          <Value value={left} /> <span className="text-quiet">{wordsOf(operator)}</span>{' '}
          {!UNARY.includes(operator) && <Value value={right} />}
        </>
      )}
    </p>
  </section>
);

const wordsOf = (operator: string): string => operator.replaceAll('_', ' ');
const MAX_VALUE = 300;

const Value = ({ value }: { value: unknown }) => {
  const text = JSON.stringify(value) ?? 'null';
  return (
    <span title={text.length > MAX_VALUE ? `${text.length} characters` : undefined}>
      {text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text}
    </span>
  );
};

const Retries = ({ retries }: { retries: Run['retries'] }) =>
  retries.length === 0 ? null : (
    <section aria-label="Retries by hand">
      <h3 className="text-xs font-medium text-quiet">Retries by hand</h3>
      <ul className="mt-1 space-y-1 text-xs">
        {retries.map(({ created_at, skip, input_changed, reason }) => (
          <li key={created_at}>
            {shownFully(created_at)}: {skip ? 'skipped' : input_changed ? 'with another input' : 'with the same input'}
            {reason !== null && <span className="text-quiet"> · {reason}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
