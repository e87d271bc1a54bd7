import { CircleAlert, Clock, GitBranch, Hourglass, Plus, Repeat, Split, Zap } from 'lucide-react';
import { type Block, type Branch, branchesOf, summaryOf } from './blocks';
import { isSamePath, type Path } from './paths';

interface GraphProps {
  trigger: string;
  blocks: Block[];
  /** The step that is shown beside it. None: the trigger. */
  openPath: Path | undefined;
  onOpen: (path: Path | undefined) => void;
  /** Absent where it is read only. */
  editing?: Editing | undefined;
}

interface Editing {
  /** Ids of steps of which something is wrong. */
  faulty: ReadonlySet<string>;
  /** Where a step is being added. */
  addingAt: Path | undefined;
  onAdd: (path: Path) => void;
}

/** The blocks of a workflow from the top down, with the branches of each side by side: a tree needs no layout. */
export const Graph = ({ trigger, blocks, openPath, onOpen, editing }: GraphProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
  <section aria-label="Graph" tabIndex={0} className="min-h-0 flex-1 overflow-auto bg-page p-4">
    <div className="mx-auto flex w-max min-w-full flex-col items-center">
      <button
        type="button"
        aria-current={openPath === undefined && editing?.addingAt === undefined}
        onClick={() => onOpen(undefined)}
        className="flex items-center gap-2 rounded-full border border-line bg-surface px-4 py-1.5 font-medium hover:bg-hover aria-[current=true]:border-(--accent) aria-[current=true]:bg-selected"
      >
        <Zap size={14} aria-hidden="true" className="text-link" /> {trigger}
      </button>
      <Steps steps={blocks} around={[]} openPath={openPath} onOpen={onOpen} editing={editing} />
      <Line />
      <span className="rounded-full border border-line bg-sunken px-3 py-1 text-xs text-quiet">End</span>
    </div>
  </section>
);

type StepsProps = Pick<GraphProps, 'openPath' | 'onOpen' | 'editing'> & { steps: Block[]; around: Path };

const Steps = ({ steps, around, openPath, onOpen, editing }: StepsProps) => (
  <>
    <ol className="flex w-full flex-col items-center">
      {steps.map((step, n) => {
        const path = [...around, n];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an id may stand twice while it is written
          <li key={n} className="flex w-full flex-col items-center">
            <Line />
            {editing !== undefined && <Add path={path} editing={editing} before={step.name ?? step.id} />}
            <Node
              step={step}
              isOpen={isSamePath(openPath, path)}
              isFaulty={editing?.faulty.has(step.id) === true}
              onOpen={() => onOpen(path)}
            />
            <Branches branches={branchesOf(step)} around={path} openPath={openPath} onOpen={onOpen} editing={editing} />
          </li>
        );
      })}
    </ol>
    {editing !== undefined && (
      <>
        <Line />
        <Add path={[...around, steps.length]} editing={editing} />
      </>
    )}
  </>
);

const Line = () => <span aria-hidden="true" className="h-5 w-px bg-line" />;

const Add = ({ path, editing, before }: { path: Path; editing: Editing; before?: string }) => (
  <>
    <button
      type="button"
      aria-label={before === undefined ? 'Add a step at the end' : `Add a step before ${before}`}
      title="Add a step here"
      aria-current={isSamePath(editing.addingAt, path)}
      onClick={() => editing.onAdd(path)}
      className="grid size-6 place-items-center rounded-full border border-dashed border-line bg-surface text-quiet hover:bg-hover hover:text-text aria-[current=true]:border-(--accent) aria-[current=true]:bg-selected"
    >
      <Plus size={14} aria-hidden="true" />
    </button>
    {before !== undefined && <Line />}
  </>
);

const ICONS: Record<string, typeof Zap> = {
  'if-else': GitBranch,
  switch: Split,
  'for-each': Repeat,
  wait: Clock,
  'wait-for-event': Hourglass,
};

interface NodeProps {
  step: Block;
  isOpen: boolean;
  isFaulty: boolean;
  onOpen: () => void;
}

const Node = ({ step, isOpen, isFaulty, onOpen }: NodeProps) => {
  const Icon = ICONS[step.type] ?? Zap;
  return (
    <button
      type="button"
      aria-current={isOpen}
      onClick={onOpen}
      className={`flex w-64 max-w-full items-start gap-2 rounded-lg border bg-surface px-3 py-2 text-left hover:bg-hover aria-[current=true]:border-(--accent) aria-[current=true]:bg-selected ${isFaulty ? 'border-bad-text' : 'border-line'}`}
    >
      <Icon size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-quiet" />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{step.name ?? step.id}</span>
        <span className="block truncate text-xs text-quiet">
          {step.type}
          {summaryOf(step) === '' ? '' : ` · ${summaryOf(step)}`}
        </span>
      </span>
      {isFaulty && <CircleAlert size={16} aria-label="Something is wrong" className="mt-0.5 shrink-0 text-bad-text" />}
    </button>
  );
};

const Branches = ({ branches, around, ...rest }: { branches: Branch[] } & Omit<StepsProps, 'steps'>) =>
  branches.length === 0 ? null : (
    <div className="flex flex-col items-center">
      <Line />
      <div className="flex items-stretch rounded-lg border border-line max-[899px]:flex-col">
        {branches.map(({ label, steps }, n) => (
          <section
            // biome-ignore lint/suspicious/noArrayIndexKey: branches keep their places
            key={n}
            aria-label={`Branch ${label}`}
            className={`flex min-w-40 flex-col items-center px-3 pt-1 pb-3 border-dashed border-line ${n > 0 ? 'max-[899px]:border-t min-[900px]:border-l' : ''}`}
          >
            <span className="max-w-48 truncate text-xs text-quiet">{label}</span>
            {steps.length === 0 && rest.editing === undefined ? (
              <span className="mt-2 text-xs text-quiet">continues</span>
            ) : (
              <Steps steps={steps} around={[...around, n]} {...rest} />
            )}
          </section>
        ))}
      </div>
    </div>
  );
