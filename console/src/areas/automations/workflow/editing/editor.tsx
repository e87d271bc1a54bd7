import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { definitionsQuery } from '../../../../api/runs';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog';
import { Failure, failureOf, Skeleton } from '../../../../ui/parts';
import { type Block, branchesOf } from '../blocks';
import { Graph } from '../graph';
import { type Path, withNewStepAt, withoutStepAt } from '../paths';
import { type Definitions, newStep } from './definitions';
import { Kinds } from './kinds';
import { Opened } from './opened';
import { textOf } from './step-texts';
import { Toolbar } from './toolbar';
import type { useDraft } from './use-draft';
import { useProblems } from './use-problems';

type Place = { open: Path | undefined } | { add: Path };

interface EditorProps {
  /** The latest version that is stored. None of a new workflow. */
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

const Loaded = ({ version, edited, onSaved, definitions }: EditorProps & { definitions: Definitions }) => {
  const { draft, texts, change, discard, save } = edited;
  const [place, go] = useState<Place>({ open: undefined });
  /** Grows when the form begins anew: when the changes are dropped, and when JSON that is not taken is opened. */
  const [round, setRound] = useState(0);
  const [removal, askRemoval] = useState<{ step: Block; path: Path }>();
  const [wasNameAsked, askName] = useState(version !== undefined);
  const form = useRef<HTMLElement>(null);
  useOtherVersions({
    version,
    edited,
    onOther: () => {
      go({ open: undefined });
      askRemoval(undefined);
    },
  });
  /** What is written while a workflow is made would be lost, or make a second one. */
  const isMade = version === undefined && (save.isPending || save.isSuccess);
  const { issues, failure } = useProblems(draft);
  const faulty = new Set(issues.flatMap(({ step_id }) => step_id ?? []));
  const open = 'open' in place ? place.open : undefined;
  const trigger = definitions.triggers.find(({ type }) => type === draft.trigger_type)?.title ?? draft.trigger_type;
  const isNameless = draft.name.trim() === '';
  const isNameAsked = isNameless && wasNameAsked;
  const remove = (path: Path) => {
    change({ blocks: withoutStepAt(draft.blocks, path) });
    go({ open: undefined });
  };
  /** Moves the focus to a field of the form that is there with the next frame. */
  const focusOn = (field: string) =>
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(field)?.focus());
  const openText = (path: Path) => {
    go({ open: path });
    setRound(round + 1);
    focusOn('details textarea');
  };
  const store = () => {
    const [untaken] = texts;
    if (untaken !== undefined) return openText(untaken.path);
    if (!isNameless) return save.mutate(draft, { onSuccess: ({ workflow_id }) => onSaved(workflow_id) });
    askName(true);
    go({ open: undefined });
    focusOn('input');
  };
  return (
    <>
      <Toolbar
        edited={edited}
        version={version}
        problems={issues.length + (isNameAsked ? 1 : 0)}
        isMade={isMade}
        onSave={store}
        onDiscard={() => {
          discard();
          go({ open: undefined });
          askName(version !== undefined);
          setRound(round + 1);
        }}
        onOpenText={openText}
      />
      {removal !== undefined && (
        <ConfirmDialog
          title={`Remove ${removal.step.name ?? removal.step.id}?`}
          action="Remove it"
          onConfirm={() => remove(removal.path)}
          onClose={() => askRemoval(undefined)}
        >
          {hasSteps(removal.step)
            ? 'The steps in its branches are removed with it.'
            : 'Its JSON that is not taken is removed with it.'}
        </ConfirmDialog>
      )}
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
          ref={form}
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
              isNameAsked={isNameAsked}
              onChange={change}
              onGo={(path) => go({ open: path })}
              onRemove={(step, path) => (isAskedBefore(step) ? askRemoval({ step, path }) : remove(path))}
            />
          )}
        </section>
      </div>
    </>
  );
};

/** Tells of versions that somebody else saves while nothing is written. The open step may have another place in them. */
function useOtherVersions({
  version,
  edited: { isWritten, save },
  onOther,
}: Pick<EditorProps, 'version' | 'edited'> & { onOther: () => void }): void {
  const [shown, setShown] = useState(version);
  if (version === shown) return;
  setShown(version);
  const isOwn = save.isPending || version === save.data?.version_number;
  if (!isWritten && !isOwn) onOther();
}

const hasSteps = (block: Block): boolean => branchesOf(block).some(({ steps }) => steps.length > 0);

const isAskedBefore = (step: Block): boolean => hasSteps(step) || textOf(step) !== undefined;
