import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { meQuery } from '../../../api/queries';
import { followRun } from '../../../api/run-stream';
import { type Run, type RunStep, runQuery } from '../../../api/runs';
import { Page } from '../../../ui/page';
import { failureOf, Skeleton } from '../../../ui/parts';
import { endOf, ShortId } from '../../../ui/short-id';
import { Ago } from '../../../ui/times/ago';
import { useTick } from '../../../ui/times/time';
import { isActive, RunState, triggerNameOf } from '../states';
import { AutomationTabs } from '../tabs';
import { shownLength } from '../times';
import { RunActions } from './actions';
import { StepDetails } from './step-details';
import { Waterfall } from './waterfall';

const TICK_MS = 1_000;

/** A run: its steps over time, and what each has done. */
export const RunPage = () => {
  const { runId } = useParams({ from: '/automations/runs/$runId' });
  const { step: path } = useSearch({ from: '/automations/runs/$runId' });
  const navigate = useNavigate();
  const query = useInfiniteQuery(runQuery(runId));
  const run = query.data?.pages[0];
  const steps = query.data?.pages.flatMap((page) => page.steps) ?? [];
  useRest(query);
  useFollowed(runId, run);
  const shown = steps.find((step) => step.path === path) ?? (path === undefined ? firstShown(steps) : undefined);
  if (run === undefined)
    return (
      <Page title="Run" tabs={<AutomationTabs />}>
        {failureOf(query)}
        {query.isPending && <Skeleton rows={8} />}
      </Page>
    );
  const open = (step: string | undefined) =>
    void navigate({ to: '/automations/runs/$runId', params: { runId }, search: { step }, replace: true });
  return (
    <Page title={<Title run={run} />} tabs={<Facts run={run} />} actions={<Actions run={run} steps={steps} />}>
      {run.error !== null && (
        <p role="alert" className="shrink-0 border-b border-line bg-bad px-4 py-2 break-words text-bad-text">
          {run.error}
        </p>
      )}
      {failureOf(query)}
      <div className="flex min-h-0 flex-1">
        <div className={`min-h-0 min-w-0 flex-1 flex-col ${path === undefined ? 'flex' : 'hidden min-[900px]:flex'}`}>
          <Waterfall run={run} steps={steps} openPath={shown?.path} onOpen={open} />
        </div>
        <div
          className={`min-h-0 w-full shrink-0 flex-col border-line min-[900px]:flex min-[900px]:w-[26rem] min-[900px]:border-l min-[1400px]:w-[34rem] ${path === undefined ? 'hidden' : 'flex'}`}
        >
          <StepDetails run={run} step={shown} onClose={() => open(undefined)} />
        </div>
      </div>
    </Page>
  );
};

/** The first shown step: the failed one or the one at work, or else the first of all. */
const firstShown = (steps: RunStep[]): RunStep | undefined =>
  steps.findLast(({ status }) => status === 'failed') ??
  steps.findLast(({ status }) => status === 'in_progress' || status === 'waiting') ??
  steps[0];

interface Rest {
  hasNextPage: boolean;
  isFetching: boolean;
  error: Error | null;
  fetchNextPage: () => unknown;
}

/** Reads all pages of steps, one after the other. */
function useRest({ hasNextPage, isFetching, error, fetchNextPage }: Rest): void {
  useEffect(() => {
    if (hasNextPage && !isFetching && error === null) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
}

/** Reads a run again whenever its stream says that it has changed. */
function useFollowed(runId: string, run: Run | undefined): void {
  const client = useQueryClient();
  const isFollowed = run !== undefined && isActive(run);
  useEffect(() => {
    if (!isFollowed) return;
    return followRun(runId, () => void client.invalidateQueries({ queryKey: runQuery(runId).queryKey }));
  }, [client, runId, isFollowed]);
}

const Title = ({ run }: { run: Run }) => (
  <span className="flex flex-wrap items-center gap-2">
    <Link to="/automations/$id" params={{ id: run.workflow_id }} className="truncate hover:underline">
      {run.workflow_name}
    </Link>
    <ShortId id={run.id} what="the run’s id" />
    <RunState run={run} />
  </span>
);

const Actions = ({ run, steps }: { run: Run; steps: RunStep[] }) => {
  const me = useQuery(meQuery).data;
  return me?.scopes.includes('workflows:write') === true ? <RunActions run={run} steps={steps} /> : null;
};

const LINK = 'text-link hover:underline';

const Facts = ({ run }: { run: Run }) => {
  const { run_started_at: began, run_ended_at: ended, ran_in: place } = run;
  useTick(TICK_MS);
  const length = began === null ? undefined : (ended === null ? Date.now() : Date.parse(ended)) - Date.parse(began);
  return (
    <div className="flex flex-wrap gap-x-5 gap-y-1 pb-3 text-xs">
      <dl className="contents [&_dd]:inline [&_dt]:inline [&_dt]:pr-1 [&_dt]:text-quiet">
        <Fact name="Created">
          <Ago at={run.created_at} />
        </Fact>
        <Fact name="Took">
          <span className="tabular-nums">{length === undefined ? '–' : shownLength(length)}</span>
        </Fact>
        <Fact name="Version">{run.version_number}</Fact>
        <Fact name="Trigger">{triggerNameOf(run.trigger_type)}</Fact>
        {run.session_id !== null && (
          <Fact name="Conversation">
            <Link to="/s/$id" params={{ id: run.session_id }} className={LINK}>
              {endOf(run.session_id)}
            </Link>
          </Fact>
        )}
        {run.contact_id !== null && (
          <Fact name="Contact">
            <Link to="/automations/runs" search={{ contact_id: run.contact_id }} className={LINK}>
              all runs of {endOf(run.contact_id)}
            </Link>
          </Fact>
        )}
      </dl>
      {place?.url != null && (
        <a href={place.url} target="_blank" rel="noopener" className={`inline-flex items-center gap-1 ${LINK}`}>
          Temporal <ExternalLink size={12} aria-hidden="true" />
        </a>
      )}
      <Link to="/automations/runs" search={{ workflow_id: run.workflow_id }} className={LINK}>
        All runs of this workflow
      </Link>
    </div>
  );
};

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
