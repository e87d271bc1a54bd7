import type { Schemas } from '../../../api/client';
import { JsonView } from '../../../ui/json/json-view';
import { triggerNameOf } from '../states';
import type { Block } from './blocks';
import { type Path, stepAt } from './paths';

interface DetailsProps {
  workflow: Schemas['Workflow'];
  blocks: Block[];
  openPath: Path | undefined;
}

/** A block of the graph with its input, or the trigger where none is chosen. */
export const BlockDetails = ({ workflow, blocks, openPath }: DetailsProps) => {
  const block = openPath === undefined ? undefined : stepAt(blocks, openPath);
  return (
    <section
      aria-label={block === undefined ? 'Trigger' : `Block ${block.name ?? block.id}`}
      className="max-h-[45%] min-h-0 shrink-0 space-y-3 overflow-y-auto border-line p-4 max-[899px]:border-t min-[900px]:max-h-none min-[900px]:w-96 min-[900px]:border-l"
    >
      {block === undefined ? <Trigger workflow={workflow} /> : <Details block={block} />}
    </section>
  );
};

const Trigger = ({ workflow }: Pick<DetailsProps, 'workflow'>) => (
  <>
    <header>
      <h2 className="font-semibold">Trigger: {triggerNameOf(workflow.trigger_type)}</h2>
      {workflow.description !== null && <p className="mt-1 text-quiet">{workflow.description}</p>}
    </header>
    {workflow.trigger_configuration != null && (
      <JsonView title="Configuration" value={workflow.trigger_configuration} />
    )}
    {workflow.trigger_constraints == null ? (
      <p className="text-quiet">It has no constraints: each such event starts a run.</p>
    ) : (
      <JsonView title="Constraints" value={workflow.trigger_constraints} />
    )}
  </>
);

const Details = ({ block }: { block: Block }) => (
  <>
    <header>
      <h2 className="font-semibold break-words">{block.name ?? block.id}</h2>
      <p className="text-xs text-quiet">
        {block.type} · <code className="font-mono">{block.id}</code>
      </p>
    </header>
    {block.$kind === 'Action' && (
      <p className="text-xs text-quiet">
        Tried up to {block.retry?.attempts ?? 3} times, then the run{' '}
        {block.on_error === 'continue' ? 'continues' : 'fails'}.
      </p>
    )}
    <JsonView key={block.id} title="Input" value={block.input ?? block.inputs ?? {}} />
  </>
);
