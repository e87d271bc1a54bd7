import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type { Schemas } from '../../../api/client';
import { versionsQuery } from '../../../api/runs';
import { diffOf, withoutSame } from '../../../ui/diff/diff';
import { DiffView } from '../../../ui/diff/diff-view';
import { ShowMore } from '../../../ui/lists/show-more';
import { Chip, Empty, failureOf, Skeleton } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { Activation } from './activation';

type Version = Schemas['Workflow'];

interface VersionsProps {
  workflow: Version;
  mayWrite: boolean;
  chosen: number | undefined;
  onChoose: (version: number) => void;
}

/** The versions of a workflow, and what each changed. */
export const Versions = ({ workflow, mayWrite, chosen, onChoose }: VersionsProps) => {
  const list = useInfiniteQuery(versionsQuery(workflow.workflow_id));
  const versions = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const at = Math.max(
    versions.findIndex(({ version_number }) => version_number === chosen),
    0,
  );
  const [version, before] = [versions[at], versions[at + 1]];
  if (list.isPending) return <Skeleton rows={5} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col min-[900px]:flex-row">
      <div className="max-h-56 shrink-0 overflow-y-auto border-line max-[899px]:border-b min-[900px]:max-h-none min-[900px]:w-72 min-[900px]:border-r">
        {failureOf(list)}
        <ul aria-label="Versions">
          {versions.map(({ version_number, name, is_active, updated_at }, n) => (
            <li key={version_number}>
              <button
                type="button"
                aria-current={n === at}
                onClick={() => onChoose(version_number)}
                className="flex w-full items-center gap-2 border-b border-line px-4 py-2 text-left hover:bg-hover aria-[current=true]:bg-selected"
              >
                <span className="tabular-nums">{version_number}</span>
                <span className="min-w-0 flex-1 truncate">{name}</span>
                {is_active && <Chip tone="good">Active</Chip>}
                <Ago at={updated_at} className="text-xs text-quiet" />
              </button>
            </li>
          ))}
        </ul>
        <ShowMore query={list} look="quiet" className="m-2" />
      </div>
      {version !== undefined && (
        <Diff version={version} before={before}>
          {mayWrite && versions.length > 1 && at > 0 && <Activation workflow={workflow} version={version} />}
        </Diff>
      )}
    </div>
  );
};

const contentOf = ({
  name,
  description,
  trigger_type,
  trigger_configuration,
  trigger_constraints,
  workflow_blocks,
}: Version) =>
  JSON.stringify(
    { name, description, trigger_type, trigger_configuration, trigger_constraints, workflow_blocks },
    null,
    2,
  ).split('\n');

interface DiffProps {
  version: Version;
  before: Version | undefined;
  /** What can be done with the version. */
  children: ReactNode;
}

const Diff = ({ version, before, children }: DiffProps) => {
  const lines = useMemo(
    () => (before === undefined ? [] : withoutSame(diffOf(contentOf(before), contentOf(version)))),
    [version, before],
  );
  const title = `What version ${version.version_number} changed`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
    <section aria-label={title} tabIndex={0} className="min-h-0 min-w-0 flex-1 overflow-auto p-4">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h2 className="flex-1 font-semibold">{title}</h2>
        {children}
      </div>
      {before === undefined && <Empty title="The first version">There is nothing to compare it with.</Empty>}
      {before !== undefined && lines.every((line) => line === undefined) && (
        <Empty title="No difference">Only what the editor keeps of its look has changed.</Empty>
      )}
      <DiffView lines={lines} />
    </section>
  );
};
