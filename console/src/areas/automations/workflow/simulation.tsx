import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { runQuery, runsQuery } from '../../../api/runs';
import { JsonView } from '../../../ui/json/json-view';
import { Button, Chip, Empty, Failure } from '../../../ui/parts';
import { endOf } from '../../../ui/short-id';
import { shownMoment } from '../../../ui/times/time';
import { shownLength } from '../times';
import { type Draft, definitionOf } from './editing/use-draft';

interface SimulationProps {
  id: string;
  /** The simulated version: the latest one with its unsaved changes. Absent: the active version. */
  what: { draft: Draft; says: string } | undefined;
  runId: string | undefined;
  onChoose: (runId: string | undefined) => void;
}

/** What a workflow would do now with a past event, without any effect. */
export const Simulation = ({ id, what, runId, onChoose }: SimulationProps) => {
  const runs = useInfiniteQuery(runsQuery({ workflow_id: id })).data?.pages.flatMap(({ items }) => items) ?? [];
  const chosen = useInfiniteQuery({ ...runQuery(runId ?? ''), enabled: runId !== undefined }).data?.pages[0];
  const simulate = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/workflows/simulate', {
          body: {
            workflow_id: id,
            ...(what !== undefined && definitionOf(what.draft)),
            ...(chosen !== undefined && { trigger_output: chosen.trigger_output as Record<string, unknown> }),
          },
        }),
      ),
  });
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-4">
      <div className="mx-auto max-w-200 space-y-3">
        <p className="text-quiet">
          A simulation shows at once what the workflow does, also what it does after a wait. It has no effect, and calls
          nobody.{what !== undefined && ` It takes ${what.says}.`}
        </p>
        <div className="flex flex-wrap items-end gap-2">
          <label className="block min-w-0 flex-1">
            <span className="text-xs text-quiet">With the event of</span>
            <select
              value={runId ?? ''}
              onChange={({ target }) => onChoose(target.value || undefined)}
              className="mt-1 block h-8 w-full rounded-md border border-line bg-surface px-1.5"
            >
              <option value="">No event: an empty trigger</option>
              {runs.map((run) => (
                <option key={run.id} value={run.id}>
                  {shownMoment(run.created_at)} · run {endOf(run.id)}
                </option>
              ))}
            </select>
          </label>
          <Button
            look="main"
            disabled={simulate.isPending || (runId !== undefined && chosen === undefined)}
            onClick={() => simulate.mutate()}
          >
            Simulate
          </Button>
        </div>
        {simulate.error !== null && <Failure error={simulate.error} onRetry={() => simulate.mutate()} />}
        {simulate.data !== undefined && <Result result={simulate.data} />}
      </div>
    </div>
  );
};

const Result = ({ result }: { result: Schemas['WorkflowSimulation'] }) => (
  <section aria-label="Result" className="space-y-2">
    <p role="status">
      <Chip tone={result.status === 'completed' ? 'good' : result.status === 'failed' ? 'bad' : 'warn'}>
        {NAMES[result.status]}
      </Chip>{' '}
      {result.error}
    </p>
    {result.steps.length === 0 && result.status === 'completed' && (
      <Empty title="Nothing to do">It has no steps.</Empty>
    )}
    <ol className="space-y-1">
      {result.steps.map((step, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps keep their places
        <li key={n}>
          <details className="rounded-md border border-line bg-surface">
            <summary className="flex cursor-pointer flex-wrap items-center gap-2 px-3 py-2">
              <span className="font-medium">{step.id}</span>
              <span className="text-xs text-quiet">{step.type}</span>
              <span className="flex-1" />
              {step.stubbed && <Chip>No effect here</Chip>}
              <span className="text-xs text-quiet tabular-nums">
                {shownLength(Date.parse(step.ended_at) - Date.parse(step.started_at))}
              </span>
            </summary>
            <div className="space-y-2 border-t border-line p-3">
              {step.note !== null && <p className="text-xs text-quiet">{step.note}</p>}
              <JsonView title="Input" value={step.input} />
              <JsonView title="Output" value={step.output} />
            </div>
          </details>
        </li>
      ))}
    </ol>
  </section>
);

const NAMES: Record<Schemas['WorkflowSimulation']['status'], string> = {
  completed: 'Completed',
  failed: 'Failed',
  not_started: 'Would not start: its constraints do not hold',
};
