import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { workflowStatsQuery, workflowsQuery } from '../../../api/runs';
import { PartsBar } from '../../../ui/charts/parts-bar';
import { DataList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { Page } from '../../../ui/page';
import { Chip, Empty, failureOf, lookOf } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { STATUS_NAMES, STATUS_TONES, triggerNameOf } from '../states';
import { AutomationTabs } from '../tabs';

type Counts = NonNullable<Schemas['WorkflowRunStats']['workflows']>[number];
/** A workflow with its runs: null if it had none, undefined while they are not known. */
type Row = Schemas['Workflow'] & { runs: Counts | null | undefined };

const DAYS = 7;
const ORDER = ['failed', 'canceled', 'in_progress', 'idle', 'completed'] as const;

/** The workflows with their state, their last run and what failed in the last days. */
export const Workflows = () => {
  const stats = useQuery(workflowStatsQuery(DAYS));
  const mayWrite = useMay('workflows:write');
  const byId = new Map(stats.data?.workflows?.map((counts) => [counts.workflow_id, counts]));
  const withRuns = (workflow: Schemas['Workflow']): Row => ({
    ...workflow,
    runs: stats.data === undefined ? undefined : (byId.get(workflow.workflow_id) ?? null),
  });
  const list = useInfiniteQuery({
    ...workflowsQuery,
    select: ({ pages }) => ({ pages: pages.map(({ items }) => ({ items: items.map(withRuns) })) }),
  });
  return (
    <Page
      title="Workflows"
      tabs={<AutomationTabs />}
      actions={
        mayWrite && (
          <Link to="/automations/$id" params={{ id: 'new' }} search={{}} className={lookOf('main')}>
            New workflow
          </Link>
        )
      }
    >
      {failureOf(stats)}
      <DataList
        label="Workflows"
        query={list}
        columns={COLUMNS}
        keyOf={({ workflow_id }) => workflow_id}
        linkOf={({ workflow_id }) => ({ to: '/automations/$id', params: { id: workflow_id } })}
        empty={<Empty title="No workflow yet">A workflow does something by itself when something happens.</Empty>}
      />
    </Page>
  );
};

const totalOf = (runs: Counts): number => ORDER.reduce((sum, status) => sum + runs[status], 0);

/** Why a workflow may not start as somebody expects. */
const problemOf = ({ schedule_error, last_constraint_error, constraint_errors, warnings }: Row): string | undefined => {
  if (schedule_error !== null) return schedule_error;
  if (constraint_errors > 0)
    return `${constraint_errors} × ${last_constraint_error ?? 'a constraint could not be evaluated'}`;
  return warnings[0];
};

const COLUMNS: Column<Row>[] = [
  {
    name: 'Workflow',
    track: 'minmax(0,2fr)',
    narrow: 'line',
    cell: ({ name }) => <span className="block truncate">{name}</span>,
  },
  {
    name: 'State',
    track: '6rem',
    cell: ({ is_active }) => <Chip tone={is_active ? 'good' : 'plain'}>{is_active ? 'Active' : 'Inactive'}</Chip>,
  },
  { name: 'Trigger', track: '10rem', cell: ({ trigger_type }) => triggerNameOf(trigger_type) },
  {
    name: `Runs in ${DAYS} days`,
    track: 'minmax(0,1.5fr)',
    narrow: 'line',
    cell: ({ runs, name }) =>
      runs == null ? (
        <span className="text-quiet">{runs === null && 'None'}</span>
      ) : (
        <span className="flex items-center gap-3">
          <span className="w-12 shrink-0 text-right tabular-nums">{totalOf(runs).toLocaleString()}</span>
          <PartsBar
            label={`Runs of ${name}`}
            parts={ORDER.map((status) => ({
              name: STATUS_NAMES[status].toLowerCase(),
              tone: STATUS_TONES[status],
              count: runs[status],
            }))}
          />
        </span>
      ),
  },
  {
    name: 'Failed',
    track: '5rem',
    isNumber: true,
    cell: ({ runs, workflow_id }) =>
      runs == null || runs.failed === 0 ? (
        <span className="text-quiet">
          {runs !== undefined && 0}
          <span className="min-[900px]:hidden"> failed</span>
        </span>
      ) : (
        <Link
          to="/automations/runs"
          search={{ workflow_id, status: 'failed' }}
          className="relative z-1 text-bad-text hover:underline"
        >
          {runs.failed.toLocaleString()}
          <span className="min-[900px]:hidden"> failed</span>
        </Link>
      ),
  },
  {
    name: 'Last run',
    track: '6rem',
    isNumber: true,
    cell: ({ runs }) => (runs == null ? <span className="text-quiet">–</span> : <Ago at={runs.last_run_at} />),
  },
  {
    name: 'Problem',
    track: 'minmax(0,1.5fr)',
    narrow: 'line',
    cell: (row) => {
      const problem = problemOf(row);
      return problem === undefined ? null : (
        <span title={problem} className="block truncate text-xs text-bad-text">
          {problem}
        </span>
      );
    },
  },
];
