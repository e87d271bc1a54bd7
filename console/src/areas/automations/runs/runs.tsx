import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery } from '../../../api/queries';
import { type RunRow, runsQuery, workflowsQuery } from '../../../api/runs';
import { lazily } from '../../../ui/lazily';
import { DataList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { FilterBar, type FilterField } from '../../../ui/lists/filter-bar';
import { useSelection } from '../../../ui/lists/selection';
import { Page } from '../../../ui/page';
import { Button, Empty } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { useTick } from '../../../ui/times/time';
import { useJobs } from '../../inbox/bulk/jobs';
import { isActive, RunState, STATUS_NAMES, triggerNameOf, WAITING_NAMES } from '../states';
import { StepNow } from '../step-now';
import { AutomationTabs } from '../tabs';
import { shownLength } from '../times';
import { jobsOf } from './bulk';
import { useNewest } from './newest';
import { RunBrush } from './run-brush';

const BulkBar = lazily(async () => (await import('./bulk-bar')).RunBulkBar);
const JobBars = lazily(async () => (await import('../../inbox/bulk/job-bars')).JobBars);

const TICK_MS = 1_000;

/** The runs of all workflows, over time and one by one. */
export const Runs = () => {
  const search = useSearch({ from: '/automations/runs' });
  const navigate = useNavigate();
  const me = useQuery(meQuery).data;
  const list = useInfiniteQuery(runsQuery(search));
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const canChange = me?.scopes.includes('workflows:write') === true;
  const selection = useSelection(rows, { isActive: canChange, of: JSON.stringify(search) });
  const [isAtTop, setAtTop] = useState(true);
  const news = useNewest(search, { isAtTop, isHeld: selection.size > 0 });
  const jobList = jobsOf(me?.org.id ?? '');
  const jobs = useJobs(jobList);
  useTick(TICK_MS);
  const go = (next: typeof search) => void navigate({ to: '/automations/runs', search: next });
  return (
    <Page title="Runs" tabs={<AutomationTabs />}>
      <FilterBar
        search={search}
        fields={useFields()}
        searched="Search a workflow or a run’s id"
        dated="Started"
        shownOf={shownOf}
        onChange={go}
      />
      <RunBrush search={search} onRange={(from, to) => go({ ...search, from, to })} />
      {jobs.length > 0 && <JobBars kind="run" orgId={jobList} jobs={jobs} />}
      {selection.size > 0 && (
        <BulkBar jobList={jobList} filters={search} selection={selection} rows={rows} hasMore={list.hasNextPage} />
      )}
      <div className="relative flex min-h-0 flex-1 flex-col">
        {news.count > 0 && (
          <Button
            look="main"
            className="absolute top-10 left-1/2 z-2 -translate-x-1/2 rounded-full shadow-lg"
            onClick={() => {
              news.show();
              document.querySelector('[data-row]')?.closest('.overflow-y-auto')?.scrollTo({ top: 0 });
            }}
          >
            {news.count}
            {news.isMore ? ' or more' : ''} new
          </Button>
        )}
        <DataList
          label="Runs"
          query={list}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          nameOf={({ workflow_name, id }) => `${workflow_name}, ${id.slice(-6)}`}
          linkOf={({ id }) => ({ to: '/automations/runs/$runId', params: { runId: id } })}
          selection={canChange ? selection : undefined}
          onTop={setAtTop}
          empty={<NoRun isFiltered={Object.keys(search).length > 0} onClear={() => go({})} />}
        />
      </div>
    </Page>
  );
};

const lengthOf = (run: RunRow): string => {
  if (run.run_started_at === null) return '–';
  const end = run.run_ended_at === null ? Date.now() : Date.parse(run.run_ended_at);
  return shownLength(end - Date.parse(run.run_started_at));
};

const COLUMNS: Column<RunRow>[] = [
  {
    name: 'Workflow',
    track: 'minmax(0,1.2fr)',
    narrow: 'line',
    cell: ({ workflow_name, id }) => (
      <>
        {workflow_name} <code className="font-mono text-xs font-normal text-quiet">{id.slice(-6)}</code>
      </>
    ),
  },
  { name: 'State', track: '9.5rem', cell: (run) => <RunState run={run} /> },
  {
    name: 'Now at',
    track: 'minmax(0,2fr)',
    narrow: 'line',
    cell: (run) => (isActive(run) || run.status === 'failed' ? <StepNow run={run} /> : null),
  },
  {
    name: 'Took',
    track: '6rem',
    isNumber: true,
    cell: (run) => (
      <>
        <span className="text-quiet min-[900px]:hidden">took </span>
        {lengthOf(run)}
      </>
    ),
  },
  { name: 'Created', track: '6rem', cell: ({ created_at }) => <Ago at={created_at} />, isNumber: true },
  { name: 'Trigger', track: '9rem', narrow: 'hidden', cell: ({ trigger_type }) => triggerNameOf(trigger_type) },
];

function useFields(): FilterField<'workflow_id' | 'status' | 'waiting_for'>[] {
  const workflows = useInfiniteQuery(workflowsQuery).data?.pages.flatMap(({ items }) => items) ?? [];
  return [
    { name: 'status', label: 'State', options: Object.entries(STATUS_NAMES) },
    { name: 'waiting_for', label: 'Waiting', options: Object.entries(WAITING_NAMES), all: 'For anything' },
    {
      name: 'workflow_id',
      label: 'Workflow',
      options: workflows.map(({ workflow_id, name }): [string, string] => [workflow_id, name]),
    },
  ];
}

const IDS: Record<string, string> = { session_id: 'Conversation', contact_id: 'Contact' };

const shownOf = (name: string, value: string): string | undefined =>
  IDS[name] === undefined ? undefined : `${IDS[name]} …${value.slice(-6)}`;

const NoRun = ({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) =>
  isFiltered ? (
    <Empty title="Nothing was found">
      No run meets the filters.
      <br />
      <Button className="mt-3" onClick={onClear}>
        Clear the filters
      </Button>
    </Empty>
  ) : (
    <Empty title="No run yet">Runs of your workflows appear here once their triggers fire.</Empty>
  );
