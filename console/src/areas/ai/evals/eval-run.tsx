import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { evalRunQuery } from '../../../api/ai';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { say } from '../../../app/undo';
import { Page, PageBody } from '../../../ui/page';
import { Button, Chip, Empty } from '../../../ui/parts';
import { Progress } from '../../../ui/progress';
import { WaitingPage } from '../../../ui/query-page';
import { Section } from '../../../ui/section';
import { shownMoment } from '../../../ui/times/time';
import { TitlePath } from '../../../ui/title-path';
import { ResultDialog } from './result-dialog';

type Run = Schemas['EvalRunWithResults'];
type Result = Run['results'][number];

/** A run over the cases: its progress, the failed cases with their checks, and changes since the run before. */
export const EvalRunPage = () => {
  const { runId } = useParams({ from: '/ai/evals/$runId' });
  const { open } = useSearch({ from: '/ai/evals/$runId' });
  const navigate = useNavigate();
  const mayWrite = useMay('autopilot:write');
  const query = useQuery(evalRunQuery(runId));
  const run = query.data;
  if (run === undefined) return <WaitingPage title="Run" query={query} missing="There is no such run" />;
  const go = (caseId: string | undefined) =>
    void navigate({ to: '/ai/evals/$runId', params: { runId }, search: { open: caseId } });
  const failed = run.results.filter(({ state }) => state === 'failed');
  const others = run.results.filter(({ state }) => state !== 'failed');
  return (
    <Page
      title={<TitlePath above="Test questions" to="/ai/evals" title={`Run of ${shownMoment(run.created_at)}`} />}
      actions={mayWrite && run.state === 'running' && <Cancel id={run.id} />}
    >
      <PageBody label="Run">
        <div className="mx-auto max-w-220 space-y-3">
          <Summary run={run} />
          {failed.length > 0 && (
            <Section title={`Failed (${failed.length})`}>
              <Results label="Failed cases" run={run} results={failed} onOpen={go} />
            </Section>
          )}
          <Section title={run.state === 'running' ? 'Passed and waiting' : 'Others'}>
            {others.length === 0 && <Empty title="None">Every case has failed.</Empty>}
            <Results label="Other cases" run={run} results={others} onOpen={go} />
          </Section>
        </div>
      </PageBody>
      {open !== undefined && <ResultDialog key={open} runId={runId} caseId={open} onClose={() => go(undefined)} />}
    </Page>
  );
};

const Summary = ({ run }: { run: Run }) => {
  const { state, cases, passed, failed, pass_share, cost, settings, config_version, drift } = run;
  const ended = passed + failed;
  return (
    <div className="space-y-2 rounded-lg border border-line bg-surface p-4">
      <Progress
        says={
          state === 'running'
            ? `${ended} of ${cases} cases, ${failed} failed`
            : `${passed} of ${cases} passed, ${failed} failed${ended < cases ? `, ${cases - ended} were not asked` : ''}`
        }
        done={ended}
        total={cases}
      />
      <p className="flex flex-wrap items-center gap-2 text-quiet">
        {state === 'canceled' && <Chip tone="warn">Canceled</Chip>}
        <span>
          {settings === 'draft' ? 'By the draft' : 'By what was in force'}
          {config_version !== null && `, version ${config_version}`}
        </span>
        {pass_share !== null && <span>{(pass_share * 100).toFixed(1)} % passed</span>}
        {cost > 0 && <span>cost {cost.toFixed(4)}</span>}
        {drift !== null && (
          <span>
            {drift.newly_failing.length} fail anew, {drift.newly_passing.length} pass anew since the run before
          </span>
        )}
      </p>
    </div>
  );
};

interface ResultsProps {
  label: string;
  run: Run;
  results: Result[];
  onOpen: (caseId: string) => void;
}

const TONES = { passed: 'good', failed: 'bad', waiting: 'plain' } as const;
const NAMES = { passed: 'Passed', failed: 'Failed', waiting: 'Waits' } as const;

const Results = ({ label, run: { drift, state: runState }, results, onOpen }: ResultsProps) => (
  <ul aria-label={label}>
    {results.map(({ case_id, name, state, checks, error }) => (
      <li key={case_id} className="border-b border-line px-4 py-2 last:border-b-0">
        <div className="flex items-center gap-2">
          <Chip tone={TONES[state]}>{state === 'waiting' && runState !== 'running' ? 'Not asked' : NAMES[state]}</Chip>
          <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
          {drift?.newly_failing.includes(case_id) === true && <Chip tone="warn">New</Chip>}
          {state !== 'waiting' && (
            <Button look="quiet" aria-label={`How it came about: ${name}`} onClick={() => onOpen(case_id)}>
              How it came about
            </Button>
          )}
        </div>
        {error !== null && <p className="mt-1 text-xs break-words text-bad-text">{error}</p>}
        {checks
          .filter(({ passed }) => !passed)
          .map(({ check, expected, got }) => (
            <p key={`${check} ${expected}`} className="mt-1 text-xs break-words">
              <span className="text-quiet">{check}:</span> wanted {expected},{' '}
              <span className="text-bad-text">got {got}</span>
            </p>
          ))}
      </li>
    ))}
  </ul>
);

const Cancel = ({ id }: { id: string }) => {
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => dataOf(api.POST('/autopilot/evals/runs/{id}/cancel', { params: { path: { id } } })),
    onError: (error) => say(error.message, { isError: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['getEvalRun', id] }),
  });
  return (
    <Button disabled={cancel.isPending} onClick={() => cancel.mutate()}>
      Cancel the run
    </Button>
  );
};
