import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type EvalRun, evalCasesQuery, evalRunsQuery } from '../../../api/ai';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { say } from '../../../app/undo';
import { PartsBar } from '../../../ui/charts/parts-bar';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { ShortList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { Page, PageBody } from '../../../ui/page';
import { Button, Chip, Empty } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';
import { AiTabs } from '../tabs';
import { CaseDialog } from './case-dialog';

type Case = Schemas['EvalCase'];

/** Questions with what has to come of them, and the runs over all of them. */
export const Evals = () => {
  const mayWrite = useMay('autopilot:write');
  const [edited, edit] = useState<Case | 'new'>();
  const [removed, remove] = useState<Case>();
  const cases = useInfiniteQuery(evalCasesQuery);
  const runs = useInfiniteQuery(evalRunsQuery);
  const hasCases = (cases.data?.pages[0]?.items.length ?? 0) > 0;
  return (
    <Page title="AI" tabs={<AiTabs />} actions={mayWrite && hasCases && <StartRun />}>
      <PageBody label="Test questions">
        <p className="mb-3 text-quiet">
          What customers could write, each with what must come of it. A run asks all of them, and shows which pass.
        </p>
        <div className="grid items-start gap-3 min-[1100px]:grid-cols-2">
          <Section title="Runs">
            <ShortList
              label="Runs"
              query={runs}
              columns={RUN_COLUMNS}
              keyOf={({ id }) => id}
              linkOf={({ id }) => ({ to: '/ai/evals/$runId', params: { runId: id } })}
              empty={<Empty title="No run yet">A run asks all cases, and shows which pass.</Empty>}
            />
          </Section>
          <Section title="Cases" actions={mayWrite && <Button onClick={() => edit('new')}>Add a case</Button>}>
            <ShortList
              label="Cases"
              query={cases}
              columns={mayWrite ? [...CASE_COLUMNS, caseActions(edit, remove)] : CASE_COLUMNS}
              keyOf={({ id }) => id}
              empty={<Empty title="No case yet">A case is what a customer writes, and what must come of it.</Empty>}
            />
          </Section>
        </div>
      </PageBody>
      {edited !== undefined && (
        <CaseDialog existing={edited === 'new' ? undefined : edited} onClose={() => edit(undefined)} />
      )}
      {removed !== undefined && <Removal one={removed} onClose={() => remove(undefined)} />}
    </Page>
  );
};

const StartRun = () => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: (settings: 'draft' | 'published') => dataOf(api.POST('/autopilot/evals/runs', { body: { settings } })),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['listEvalRuns'] });
      await navigate({ to: '/ai/evals/$runId', params: { runId: id } });
    },
    onError: (error) => say(error.message, { isError: true }),
  });
  return (
    <>
      <Button disabled={start.isPending} onClick={() => start.mutate('published')}>
        Run what is in force
      </Button>
      <Button look="main" disabled={start.isPending} onClick={() => start.mutate('draft')}>
        Run the draft
      </Button>
    </>
  );
};

const Removal = ({ one: { id, name }, onClose }: { one: Case; onClose: () => void }) => {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/autopilot/evals/{id}', { params: { path: { id } } })),
    onSuccess: () => say(`${name} is deleted`),
    onError: (error) => say(error.message, { isError: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['listEvalCases'] }),
  });
  return (
    <ConfirmDialog
      title={`Delete “${name}”`}
      action="Delete the case"
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      Later runs do not ask it. The results of earlier ones stay.
    </ConfirmDialog>
  );
};

const RUN_COLUMNS: Column<EvalRun>[] = [
  {
    name: 'Run',
    track: 'minmax(0,1fr)',
    cell: ({ settings, started_by }) =>
      `${settings === 'draft' ? 'Draft' : 'In force'}${started_by === 'nightly' ? ', nightly' : ''}`,
  },
  {
    name: 'Result',
    track: 'minmax(0,1.5fr)',
    narrow: 'line',
    cell: ({ state, cases, passed, failed }) => (
      <span className="flex items-center gap-2">
        <span className="w-20 shrink-0 tabular-nums">
          {passed} of {cases}
        </span>
        <PartsBar
          label="Cases"
          parts={[
            { name: 'passed', count: passed, tone: 'good' },
            { name: 'failed', count: failed, tone: 'bad' },
            { name: state === 'running' ? 'waiting' : 'not asked', count: cases - passed - failed, tone: 'plain' },
          ]}
        />
      </span>
    ),
  },
  {
    name: 'State',
    track: '6rem',
    cell: ({ state, failed }) => (
      <Chip tone={state === 'running' ? 'plain' : state === 'canceled' ? 'warn' : failed > 0 ? 'bad' : 'good'}>
        {state === 'running' ? 'Running' : state === 'canceled' ? 'Canceled' : failed > 0 ? 'Failed' : 'Passed'}
      </Chip>
    ),
  },
  { name: 'When', track: '5rem', isNumber: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];

const CASE_COLUMNS: Column<Case>[] = [
  {
    name: 'Case',
    track: 'minmax(0,1fr)',
    narrow: 'line',
    cell: ({ name, messages }) => (
      <>
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-xs text-quiet">{messages.at(-1)?.text}</span>
      </>
    ),
  },
];

const caseActions = (edit: (one: Case) => void, remove: (one: Case) => void): Column<Case> => ({
  name: 'Action',
  track: '9rem',
  cell: (one) => (
    <>
      <Button look="quiet" aria-label={`Edit ${one.name}`} onClick={() => edit(one)}>
        Edit
      </Button>
      <Button look="quiet" aria-label={`Delete ${one.name}`} onClick={() => remove(one)}>
        Delete
      </Button>
    </>
  ),
});
