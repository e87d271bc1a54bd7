import { useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState } from 'react';
import { definitionsQuery, problemsQuery } from '../../../../api/runs';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog';
import { Button, Failure, failureOf, Skeleton } from '../../../../ui/parts';
import { StateButton } from '../../../../ui/state-button';
import { useSettled } from '../../../../ui/use-settled';
import { type Block, branchesOf } from '../blocks';
import { Graph } from '../graph';
import {
  besidePath,
  lengthAround,
  type Path,
  stepAt,
  withNewStepAt,
  withoutStepAt,
  withStepAt,
  withStepMoved,
} from '../paths';
import { type Definitions, kindsOf, newStep, plainOf } from './definitions';
import { restOf, restOfTrigger } from './problems';
import { References } from './references';
import { StepForm } from './step-form';
import { TriggerForm } from './trigger-form';
import { type Draft, definitionOf, type useDraft } from './use-draft';

type Place = { open: Path | undefined } | { add: Path };

interface EditorProps {
  /** What the changes are made to: nothing for a new workflow. */
  version: number | undefined;
  edited: ReturnType<typeof useDraft>;
  onSaved: (id: string) => void;
}

/** The graph of a workflow with the form of a step beside it. What is wrong is said while it is written. */
export const Editor = (props: EditorProps) => {
  const definitions = useQuery(definitionsQuery);
  if (definitions.data === undefined) return failureOf(definitions) || <Skeleton rows={6} />;
  return <Loaded {...props} definitions={definitions.data} />;
};

interface Issue {
  step_id: string | null;
  message: string;
}

/** The problems of what is written, once it has not changed for a moment. */
function useProblems(draft: Draft): { issues: Issue[]; failure: ReturnType<typeof failureOf> } {
  const written = JSON.stringify(definitionOf(draft));
  const settled = useSettled(written);
  const query = useQuery(problemsQuery(JSON.parse(settled === '' ? written : settled)));
  return { issues: query.data ?? [], failure: failureOf(query) };
}

const Loaded = ({ version, edited, onSaved, definitions }: EditorProps & { definitions: Definitions }) => {
  const { draft, isWritten, isChanged, change, discard, save } = edited;
  const [place, go] = useState<Place>({ open: undefined });
  /** Grows when the changes are dropped: fields begin with the stored values. */
  const [round, setRound] = useState(0);
  const [removal, askRemoval] = useState<{ step: Block; path: Path }>();
  const [isDiscardAsked, askDiscard] = useState(false);
  const [base, setBase] = useState(version);
  if (version !== base) {
    setBase(version);
    const isOwn = save.isPending || version === save.data?.version_number;
    // What was open may be elsewhere in the version of somebody else.
    if (!isWritten && !isOwn) go({ open: undefined });
  }
  /** What is written while a workflow is made would be lost, or make a second one. */
  const isMade = version === undefined && (save.isPending || save.isSuccess);
  const { issues, failure } = useProblems(draft);
  const ofWorkflow = issues.filter(({ step_id }) => step_id === null).map(({ message }) => message);
  const faulty = new Set(issues.flatMap(({ step_id }) => step_id ?? []));
  const open = 'open' in place ? place.open : undefined;
  const trigger = definitions.triggers.find(({ type }) => type === draft.trigger_type)?.title ?? draft.trigger_type;
  const count = issues.length + (draft.name.trim() === '' ? 1 : 0);
  const remove = (path: Path) => {
    change({ blocks: withoutStepAt(draft.blocks, path) });
    go({ open: undefined });
  };
  const store = () => save.mutate(draft, { onSuccess: ({ workflow_id }) => onSaved(workflow_id) });
  return (
    <>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <p role="status" className="min-w-0 flex-1 text-quiet">
          {version === undefined ? 'A new workflow' : `You edit version ${version}`}
          {isChanged && ', not saved'}
          {count > 0 && (
            <span className="text-bad-text">
              {' · '}
              {count === 1 ? '1 problem' : `${count} problems`}
            </span>
          )}
        </p>
        {isChanged && (
          <Button disabled={isMade} onClick={() => askDiscard(true)}>
            Discard the changes
          </Button>
        )}
        {removal !== undefined && (
          <ConfirmDialog
            title={`Remove ${removal.step.name ?? removal.step.id}?`}
            action="Remove it"
            onConfirm={() => remove(removal.path)}
            onClose={() => askRemoval(undefined)}
          >
            The steps in its branches are removed with it.
          </ConfirmDialog>
        )}
        {isDiscardAsked && (
          <ConfirmDialog
            title="Discard the changes?"
            action="Discard them"
            onConfirm={() => {
              discard();
              go({ open: undefined });
              setRound(round + 1);
            }}
            onClose={() => askDiscard(false)}
          >
            What you changed here is not saved.
          </ConfirmDialog>
        )}
        <StateButton
          look="main"
          forbidden={save.isPending ? 'It is being saved' : whyNotSaved(edited, count)}
          onClick={store}
        >
          {save.isPending ? 'Saving' : version === undefined ? 'Create the workflow' : 'Save as a new version'}
        </StateButton>
      </div>
      {save.error !== null && <Failure error={save.error} onRetry={store} />}
      {failure}
      <div inert={isMade} className="flex min-h-0 flex-1 flex-col min-[900px]:flex-row">
        <Graph
          trigger={trigger}
          blocks={draft.blocks}
          openPath={open}
          onOpen={(path) => go({ open: path })}
          editing={{ faulty, addingAt: 'add' in place ? place.add : undefined, onAdd: (path) => go({ add: path }) }}
        />
        <section
          key={'add' in place ? 'add' : open?.join()} // another form begins at its top
          aria-label="What is edited"
          className="max-h-[55%] min-h-0 shrink-0 space-y-4 overflow-y-auto border-line p-4 max-[899px]:border-t min-[900px]:max-h-none min-[900px]:w-104 min-[900px]:border-l"
        >
          {'add' in place ? (
            <Kinds
              definitions={definitions}
              onChoose={(type) => {
                const step = newStep(definitions, type, draft.blocks);
                change({ blocks: withNewStepAt(draft.blocks, place.add, step) });
                go({ open: place.add });
              }}
              onLeave={() => go({ open: undefined })}
            />
          ) : (
            <Opened
              key={`${round} ${open?.join()}`}
              path={open}
              draft={draft}
              definitions={definitions}
              issues={issues}
              ofWorkflow={ofWorkflow}
              onChange={change}
              onGo={(path) => go({ open: path })}
              onRemove={(step, path) => (hasSteps(step) ? askRemoval({ step, path }) : remove(path))}
              onText={edited.setHasText}
            />
          )}
        </section>
      </div>
    </>
  );
};

function whyNotSaved({ isChanged, hasText }: EditorProps['edited'], problems: number): string | false {
  if (problems > 0) return 'It can be saved once its problems are mended';
  if (hasText) return 'It can be saved once the JSON of the step is taken or dropped';
  return isChanged ? false : 'Nothing has changed';
}

const hasSteps = (block: Block): boolean => branchesOf(block).some(({ steps }) => steps.length > 0);

interface OpenedProps {
  path: Path | undefined;
  draft: Draft;
  definitions: Definitions;
  issues: Issue[];
  ofWorkflow: string[];
  onChange: (changes: Partial<Draft>) => void;
  onGo: (path: Path | undefined) => void;
  onRemove: (step: Block, path: Path) => void;
  onText: (hasText: boolean) => void;
}

/** The form of a step, or of the workflow where none is open. */
const Opened = ({ path, draft, definitions, issues, ofWorkflow, onChange, onGo, onRemove, onText }: OpenedProps) => {
  /** Grows when a step is replaced as a whole: its fields begin with the new values. */
  const [round, setRound] = useState(0);
  const step = path === undefined ? undefined : stepAt(draft.blocks, path);
  if (path === undefined || step === undefined)
    return (
      <>
        <h2 className="font-semibold">The workflow</h2>
        <Problems
          messages={[
            ...(draft.name.trim() === '' ? ['It needs a name'] : []),
            ...restOfTrigger(ofWorkflow, draft.trigger_type, definitions),
          ]}
        />
        <TriggerForm draft={draft} definitions={definitions} problems={ofWorkflow} onChange={onChange} />
      </>
    );
  const problems = issues.filter(({ step_id }) => step_id === step.id).map(({ message }) => message);
  const last = lengthAround(draft.blocks, path) - 1;
  const at = path.at(-1) ?? 0;
  const move = (by: 1 | -1) => {
    onChange({ blocks: withStepMoved(draft.blocks, path, by) });
    onGo(besidePath(path, by));
  };
  return (
    <>
      <header className="flex flex-wrap items-center gap-1">
        <h2 className="min-w-0 flex-1 font-semibold break-words">{step.name ?? step.id}</h2>
        <Button look="quiet" aria-label="Move it up" title="Move it up" disabled={at === 0} onClick={() => move(-1)}>
          <ArrowUp size={14} aria-hidden="true" />
        </Button>
        <Button
          look="quiet"
          aria-label="Move it down"
          title="Move it down"
          disabled={at >= last}
          onClick={() => move(1)}
        >
          <ArrowDown size={14} aria-hidden="true" />
        </Button>
        <Button look="quiet" onClick={() => onRemove(step, path)}>
          Remove
        </Button>
      </header>
      <Problems messages={restOf(problems, step, definitions)} />
      <StepForm
        key={round}
        step={step}
        definitions={definitions}
        problems={problems}
        onText={onText}
        onChange={(changed) => onChange({ blocks: withStepAt(draft.blocks, path, changed) })}
        onReplace={(changed) => {
          onChange({ blocks: withStepAt(draft.blocks, path, changed) });
          setRound(round + 1);
        }}
      />
      <References definitions={definitions} draft={draft} path={path} />
    </>
  );
};

const Problems = ({ messages }: { messages: string[] }) =>
  messages.length === 0 ? null : (
    <ul aria-label="Problems" className="space-y-1 rounded-md bg-bad p-3 text-bad-text">
      {messages.map((message) => (
        <li key={message} className="break-words">
          {message}
        </li>
      ))}
    </ul>
  );

interface KindsProps {
  definitions: Definitions;
  onChoose: (type: string) => void;
  onLeave: () => void;
}

/** What a new step can be. */
const Kinds = ({ definitions, onChoose, onLeave }: KindsProps) => (
  <>
    <header className="flex items-center">
      <h2 className="flex-1 font-semibold">What comes here?</h2>
      <Button look="quiet" onClick={onLeave}>
        Cancel
      </Button>
    </header>
    <ul aria-label="Kinds of steps" className="space-y-1">
      {kindsOf(definitions).map(({ type, title, description }) => (
        <li key={type}>
          <button
            type="button"
            onClick={() => onChoose(type)}
            className="block w-full rounded-md border border-line px-3 py-2 text-left hover:bg-hover"
          >
            <span className="block font-medium">{title}</span>
            <span className="block text-xs text-quiet">{firstSentenceOf(plainOf(description))}</span>
          </button>
        </li>
      ))}
    </ul>
  </>
);

const firstSentenceOf = (text: string): string => /^.*?[.:](?= |$)/.exec(text)?.[0] ?? text;
