import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { versionsQuery, workflowQuery } from '../../../api/runs';
import { CopyButton } from '../../../ui/copy-button';
import { UnsavedGuard } from '../../../ui/forms/guard';
import { JsonView } from '../../../ui/json/json-view';
import { lazily } from '../../../ui/lazily';
import { Page, TAB, Tabs } from '../../../ui/page';
import { Chip, Empty, failureOf, lookOf, Skeleton } from '../../../ui/parts';
import { WaitingPage } from '../../../ui/query-page';
import { triggerNameOf } from '../states';
import { Activation } from './activation';
import { BlockDetails } from './block-details';
import type { Block } from './blocks';
import { useDraft } from './editing/use-draft';
import { Graph } from './graph';
import type { Path } from './paths';

const Editor = lazily(async () => (await import('./editing/editor')).Editor);
const Versions = lazily(async () => (await import('./versions')).Versions);
const Simulation = lazily(async () => (await import('./simulation')).Simulation);

const TABS = [
  ['graph', 'Graph'],
  ['versions', 'Versions'],
  ['json', 'JSON'],
  ['simulation', 'Simulation'],
] as const;

/** The id in the address of a workflow not created yet. */
export const NEW = 'new';

/** A workflow: its blocks to read and to edit, its versions, JSON, and what it would do. */
export const WorkflowPage = () => {
  const { id } = useParams({ from: '/automations/$id' });
  return id === NEW ? <NewWorkflow /> : <StoredWorkflow key={id} id={id} />;
};

const NewWorkflow = () => {
  const navigate = useNavigate();
  const mayWrite = useMay('workflows:write');
  const edited = useDraft(undefined);
  return (
    <Page title="New workflow">
      <UnsavedGuard isChanged={edited.isChanged} />
      {mayWrite ? (
        <Editor
          version={undefined}
          edited={edited}
          onSaved={(id) => void navigate({ to: '/automations/$id', params: { id }, search: {} })}
        />
      ) : (
        <Empty title="Not for your role">Making a workflow needs workflows:write.</Empty>
      )}
    </Page>
  );
};

const StoredWorkflow = ({ id }: { id: string }) => {
  const search = useSearch({ from: '/automations/$id' });
  const navigate = useNavigate();
  const mayWrite = useMay('workflows:write');
  const query = useQuery(workflowQuery(id));
  const versions = useInfiniteQuery({ ...versionsQuery(id), enabled: mayWrite });
  const latest = versions.data?.pages[0]?.items[0];
  const edited = useDraft(latest);
  const [openPath, open] = useState<Path>();
  const workflow = query.data;
  if (workflow === undefined) return <WaitingPage title="Workflow" query={query} missing="There is no such workflow" />;
  const tab = search.tab === 'edit' && !mayWrite ? 'graph' : (search.tab ?? 'graph');
  const blocks = workflow.workflow_blocks as Block[];
  const go = (changes: typeof search) =>
    void navigate({ to: '/automations/$id', params: { id }, search: { ...search, ...changes }, replace: true });
  return (
    <Page
      title={<Title workflow={workflow} />}
      tabs={<Head id={id} tab={tab} />}
      actions={
        <>
          <RunsLink id={id} />
          {mayWrite && latest !== undefined && <Activation workflow={workflow} version={latest} isOfAll />}
          {mayWrite && tab !== 'edit' && <EditLink id={id} isChanged={edited.isChanged} />}
        </>
      }
    >
      <UnsavedGuard isChanged={edited.isChanged} isKeptOnPage />
      <Problems workflow={workflow} />
      {tab === 'edit' &&
        (latest === undefined ? (
          failureOf(versions) || <Skeleton rows={6} />
        ) : (
          <Editor version={latest.version_number} edited={edited} onSaved={() => undefined} />
        ))}
      {tab === 'graph' && (
        <div className="flex min-h-0 flex-1 flex-col min-[900px]:flex-row">
          {blocks.length === 0 ? (
            <Empty title="No block">A run of it ends at once.</Empty>
          ) : (
            <Graph trigger={triggerNameOf(workflow.trigger_type)} blocks={blocks} openPath={openPath} onOpen={open} />
          )}
          <BlockDetails workflow={workflow} blocks={blocks} openPath={openPath} />
        </div>
      )}
      {tab === 'versions' && (
        <Versions
          workflow={workflow}
          mayWrite={mayWrite}
          chosen={search.version === undefined ? undefined : Number(search.version)}
          onChoose={(version) => go({ version: String(version) })}
        />
      )}
      {tab === 'json' && (
        <div className="min-h-0 flex-1 overflow-y-auto p-4">
          <JsonView title="Workflow" value={workflow} />
        </div>
      )}
      {tab === 'simulation' && (
        <Simulation
          id={id}
          what={
            latest === undefined
              ? undefined
              : {
                  draft: edited.draft,
                  says: edited.isChanged
                    ? `your changes, which are not saved${edited.texts.length > 0 ? ', without the JSON that is not taken' : ''}`
                    : `version ${latest.version_number}`,
                }
          }
          runId={search.run}
          onChoose={(run) => go({ run })}
        />
      )}
    </Page>
  );
};

const EditLink = ({ id, isChanged }: { id: string; isChanged: boolean }) => (
  <Link to="/automations/$id" params={{ id }} search={{ tab: 'edit' }} className={lookOf('main')}>
    {isChanged ? 'Go on editing' : 'Edit'}
  </Link>
);

const Title = ({ workflow: { name, is_active, version_number } }: { workflow: Schemas['Workflow'] }) => (
  <span className="flex flex-wrap items-center gap-2">
    <span className="truncate">{name}</span>
    <Chip tone={is_active ? 'good' : 'plain'}>
      {is_active ? 'Active' : 'Inactive'}, version {version_number}
    </Chip>
  </span>
);

const RunsLink = ({ id }: { id: string }) => (
  <Link to="/automations/runs" search={{ workflow_id: id }} className="text-link hover:underline">
    Its runs
  </Link>
);

const Head = ({ id, tab }: { id: string; tab: string }) => (
  <Tabs label="Workflow">
    {TABS.map(([value, name]) => (
      <Link
        key={value}
        to="/automations/$id"
        params={{ id }}
        search={{ tab: value }}
        aria-current={value === tab || (tab === 'edit' && value === 'graph') ? 'page' : undefined}
        className={TAB}
      >
        {name}
      </Link>
    ))}
  </Tabs>
);

/** Why it may not start as somebody expects, and the address that starts it. */
const Problems = ({ workflow }: { workflow: Schemas['Workflow'] }) => {
  const { constraint_errors, last_constraint_error, schedule_error, warnings, webhook_url } = workflow;
  const problems = [
    ...(schedule_error === null ? [] : [`Temporal refused its schedule: ${schedule_error}`]),
    ...(constraint_errors === 0
      ? []
      : [
          `Its constraints could not be evaluated ${constraint_errors.toLocaleString()} times. The last time: ${last_constraint_error ?? ''}`,
        ]),
    ...warnings,
  ];
  return (
    <>
      {problems.length > 0 && (
        <ul className="shrink-0 space-y-1 border-b border-line bg-warn px-4 py-2 text-warn-text">
          {problems.map((problem) => (
            <li key={problem} className="break-words">
              {problem}
            </li>
          ))}
        </ul>
      )}
      {webhook_url !== null && (
        <p className="flex shrink-0 items-center gap-2 border-b border-line px-4 py-1 text-xs">
          <span className="shrink-0 text-quiet">Its address</span>
          <code className="min-w-0 truncate font-mono">{webhook_url}</code>
          <CopyButton text={webhook_url} what="the address" />
        </p>
      )}
    </>
  );
};
