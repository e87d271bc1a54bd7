import { Clock, GitBranch, Hourglass, Repeat, Split, Zap } from 'lucide-react';
import { type Block, type Branch, branchesOf, summaryOf } from './blocks';

interface GraphProps {
  trigger: string;
  blocks: Block[];
  openId: string | undefined;
  onOpen: (id: string) => void;
}

/** The blocks of a workflow from the top down, with the branches of each side by side: a tree needs no layout. */
export const Graph = ({ trigger, blocks, openId, onOpen }: GraphProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
  <section aria-label="Graph" tabIndex={0} className="min-h-0 flex-1 overflow-auto bg-page p-4">
    <div className="mx-auto flex w-max min-w-full flex-col items-center">
      <span className="flex items-center gap-2 rounded-full border border-line bg-surface px-4 py-1.5 font-medium">
        <Zap size={14} aria-hidden="true" className="text-link" /> {trigger}
      </span>
      <Steps steps={blocks} openId={openId} onOpen={onOpen} />
      <Line />
      <span className="rounded-full border border-line bg-sunken px-3 py-1 text-xs text-quiet">End</span>
    </div>
  </section>
);

type StepsProps = Pick<GraphProps, 'openId' | 'onOpen'> & { steps: Block[] };

const Steps = ({ steps, openId, onOpen }: StepsProps) => (
  <ol className="flex w-full flex-col items-center">
    {steps.map((step) => (
      <li key={step.id} className="flex w-full flex-col items-center">
        <Line />
        <Node step={step} isOpen={step.id === openId} onOpen={() => onOpen(step.id)} />
        <Branches branches={branchesOf(step)} openId={openId} onOpen={onOpen} />
      </li>
    ))}
  </ol>
);

const Line = () => <span aria-hidden="true" className="h-5 w-px bg-line" />;

const ICONS: Record<string, typeof Zap> = {
  'if-else': GitBranch,
  switch: Split,
  'for-each': Repeat,
  wait: Clock,
  'wait-for-event': Hourglass,
};

const Node = ({ step, isOpen, onOpen }: { step: Block; isOpen: boolean; onOpen: () => void }) => {
  const Icon = ICONS[step.type] ?? Zap;
  return (
    <button
      type="button"
      aria-current={isOpen}
      onClick={onOpen}
      className="flex w-64 max-w-full items-start gap-2 rounded-lg border border-line bg-surface px-3 py-2 text-left hover:bg-hover aria-[current=true]:border-(--accent) aria-[current=true]:bg-selected"
    >
      <Icon size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-quiet" />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{step.name ?? step.id}</span>
        <span className="block truncate text-xs text-quiet">
          {step.type}
          {summaryOf(step) === '' ? '' : ` · ${summaryOf(step)}`}
        </span>
      </span>
    </button>
  );
};

const Branches = ({ branches, ...rest }: { branches: Branch[] } & Omit<StepsProps, 'steps'>) =>
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
            {steps.length === 0 ? (
              <span className="mt-2 text-xs text-quiet">continues</span>
            ) : (
              <Steps steps={steps} {...rest} />
            )}
          </section>
        ))}
      </div>
    </div>
  );
