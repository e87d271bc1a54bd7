import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../../ui/parts';
import type { Block } from '../blocks';
import { besidePath, lengthAround, type Path, stepAt, withStepAt, withStepMoved } from '../paths';
import type { Definitions } from './definitions';
import { Problems } from './problem-list';
import { restOf, restOfTrigger } from './problems';
import { References } from './references';
import { withText } from './step-texts';
import { StepForm } from './steps/step-form';
import { TriggerForm } from './trigger-form';
import type { Draft } from './use-draft';
import type { Issue } from './use-problems';

interface OpenedProps {
  path: Path | undefined;
  draft: Draft;
  definitions: Definitions;
  issues: Issue[];
  /** Whether it is said that the name is missing. */
  isNameAsked: boolean;
  onChange: (changes: Partial<Draft>) => void;
  onGo: (path: Path | undefined) => void;
  onRemove: (step: Block, path: Path) => void;
}

/** The form of a step, or of the workflow where none is open. */
export const Opened = ({ path, ...props }: OpenedProps) => {
  const step = path === undefined ? undefined : stepAt(props.draft.blocks, path);
  return path === undefined || step === undefined ? (
    <OpenedWorkflow {...props} />
  ) : (
    <OpenedStep {...props} path={path} step={step} />
  );
};

type WorkflowProps = Pick<OpenedProps, 'draft' | 'definitions' | 'issues' | 'isNameAsked' | 'onChange'>;

const OpenedWorkflow = ({ draft, definitions, issues, isNameAsked, onChange }: WorkflowProps) => {
  const problems = issues.filter(({ step_id }) => step_id === null).map(({ message }) => message);
  return (
    <>
      <h2 className="font-semibold">The workflow</h2>
      <Problems messages={restOfTrigger(problems, draft.trigger_type, definitions)} />
      <TriggerForm
        draft={draft}
        definitions={definitions}
        problems={problems}
        isNameAsked={isNameAsked}
        onChange={onChange}
      />
    </>
  );
};

type StepProps = Pick<OpenedProps, 'draft' | 'definitions' | 'issues' | 'onChange' | 'onGo' | 'onRemove'>;

const OpenedStep = (props: StepProps & { path: Path; step: Block }) => {
  const { path, step, draft, definitions, issues, onChange } = props;
  /** Grows when a step is replaced as a whole: its fields begin with the new values. */
  const [round, setRound] = useState(0);
  const problems = issues.filter(({ step_id }) => step_id === step.id).map(({ message }) => message);
  const put = (changed: Block) => onChange({ blocks: withStepAt(draft.blocks, path, changed) });
  return (
    <>
      <StepHead {...props} />
      <Problems messages={restOf(problems, step, definitions)} />
      <StepForm
        key={round}
        step={step}
        definitions={definitions}
        problems={problems}
        onText={(text) => put(withText(step, text))}
        onChange={put}
        onReplace={(changed) => {
          put(changed);
          setRound(round + 1);
        }}
      />
      <References definitions={definitions} draft={draft} path={path} />
    </>
  );
};

const StepHead = ({ path, step, draft, onChange, onGo, onRemove }: StepProps & { path: Path; step: Block }) => {
  const last = lengthAround(draft.blocks, path) - 1;
  const at = path.at(-1) ?? 0;
  const move = (by: 1 | -1) => {
    onChange({ blocks: withStepMoved(draft.blocks, path, by) });
    onGo(besidePath(path, by));
  };
  return (
    <header className="flex flex-wrap items-center gap-1">
      <h2 className="min-w-0 flex-1 font-semibold break-words">{step.name ?? step.id}</h2>
      <Button look="quiet" aria-label="Move it up" title="Move it up" disabled={at === 0} onClick={() => move(-1)}>
        <ArrowUp size={14} aria-hidden="true" />
      </Button>
      <Button look="quiet" aria-label="Move it down" title="Move it down" disabled={at >= last} onClick={() => move(1)}>
        <ArrowDown size={14} aria-hidden="true" />
      </Button>
      <Button look="quiet" onClick={() => onRemove(step, path)}>
        Remove
      </Button>
    </header>
  );
};
