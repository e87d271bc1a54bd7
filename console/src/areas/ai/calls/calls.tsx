import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type CallState, callsQuery, confirmationsQuery } from '../../../api/ai';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { say } from '../../../app/undo';
import { ShortList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { Page, PageBody } from '../../../ui/page';
import { Button, Chip, Empty, failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';
import { AiTabs } from '../tabs';
import { CALL_STATES, shownCode } from '../words';
import { SettleDialog } from './settle-dialog';

type Call = Schemas['AutopilotCall'];

/** The calls of the AI waiting for a confirmation, and all calls with their outcomes. */
export const Calls = () => {
  const { state } = useSearch({ from: '/ai/calls' });
  const navigate = useNavigate();
  const maySettle = useMay('autopilot:write');
  const [settled, settle] = useState<Call>();
  const list = useInfiniteQuery(callsQuery({ state: state as CallState | undefined }));
  return (
    <Page title="AI" tabs={<AiTabs />}>
      <PageBody label="Confirmations and calls">
        <div className="space-y-3">
          <Waiting />
          <Section
            title="Calls"
            actions={
              <select
                aria-label="State"
                value={state ?? ''}
                onChange={({ target }) =>
                  void navigate({ to: '/ai/calls', search: { state: target.value || undefined }, replace: true })
                }
                className="h-8 rounded-md border border-line bg-surface px-1.5"
              >
                <option value="">All</option>
                {Object.entries(CALL_STATES).map(([value, { name }]) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </select>
            }
          >
            <ShortList
              label="Calls"
              query={list}
              columns={maySettle ? [...COLUMNS, settlingBy(settle)] : COLUMNS}
              keyOf={({ id }) => id}
              empty={<Empty title="No call">The AI calls the actions that it was given.</Empty>}
            />
          </Section>
        </div>
      </PageBody>
      {settled !== undefined && <SettleDialog call={settled} onClose={() => settle(undefined)} />}
    </Page>
  );
};

const Waiting = () => {
  const waiting = useQuery(confirmationsQuery);
  const calls = waiting.data?.items ?? [];
  return (
    <Section title="Waiting for a confirmation">
      {waiting.isPending && <Skeleton rows={2} />}
      {failureOf(waiting)}
      {waiting.data !== undefined && calls.length === 0 && (
        <Empty title="Nothing waits">What the AI asks before it acts appears here.</Empty>
      )}
      <ul aria-label="Waiting">
        {calls.map((call) => (
          <Confirmation key={call.id} call={call} />
        ))}
      </ul>
    </Section>
  );
};

const BECAUSE: Record<NonNullable<Schemas['AutopilotConfirmation']['needs_because']>, string> = {
  limits: 'beyond its limits',
  form: 'asked for by a form',
  always: 'always asked for',
  untrusted: 'after a text that is not trusted',
  rejected_before: 'rejected before',
};

const Confirmation = ({ call }: { call: Schemas['AutopilotConfirmation'] }) => {
  const { id, name, fields, needs, needs_because, expires_at, session_id } = call;
  const mayDecide = useMay('confirmations:write');
  const client = useQueryClient();
  const decide = useMutation({
    mutationFn: (decision: 'confirm' | 'reject') => {
      const params = { params: { path: { id } } };
      return dataOf(
        decision === 'confirm'
          ? api.POST('/autopilot/confirmations/{id}/confirm', params)
          : api.POST('/autopilot/confirmations/{id}/reject', params),
      );
    },
    onError: (error) => say(error.message, { isError: true }),
    onSettled: () =>
      Promise.all(
        ['listConfirmations', 'listAutopilotCalls'].map((key) => client.invalidateQueries({ queryKey: [key] })),
      ),
  });
  return (
    <li aria-label={name} className="space-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">{name}</span>
        <span className="flex-1 text-xs text-quiet">
          {needs === 'agent' ? 'By a member' : 'By the customer'}
          {needs_because !== null && `, ${BECAUSE[needs_because]}`}
          {expires_at !== null && (
            <>
              , ends <Ago at={expires_at} />
            </>
          )}
        </span>
        <a href={`/console/s/${session_id}`} className="text-link hover:underline">
          Open the conversation
        </a>
      </p>
      <dl className="grid gap-x-4 text-xs min-[480px]:grid-cols-2">
        {fields.map((field) => (
          <div key={field.name} className="flex gap-2">
            <dt className="text-quiet">{field.name}</dt>
            <dd className="min-w-0 break-words">{field.value}</dd>
          </div>
        ))}
      </dl>
      {mayDecide && (
        <div className="flex gap-2">
          <Button look="main" disabled={decide.isPending} onClick={() => decide.mutate('confirm')}>
            Confirm
          </Button>
          <Button disabled={decide.isPending} onClick={() => decide.mutate('reject')}>
            Reject
          </Button>
        </div>
      )}
    </li>
  );
};

const COLUMNS: Column<Call>[] = [
  {
    name: 'Call',
    track: 'minmax(0,1.5fr)',
    narrow: 'line',
    cell: ({ name }) => <span className="block truncate font-medium">{name}</span>,
  },
  {
    name: 'State',
    track: '7rem',
    cell: ({ state }) => <Chip tone={CALL_STATES[state].tone}>{CALL_STATES[state].name}</Chip>,
  },
  {
    name: 'Why',
    track: 'minmax(0,1.5fr)',
    narrow: 'line',
    cell: ({ reason, status }) => (
      <span title={reason ?? undefined} className="block truncate text-xs">
        {[status, reason === null ? null : shownCode(reason)].filter((part) => part !== null).join(' · ')}
      </span>
    ),
  },
  {
    name: 'Conversation',
    track: '9rem',
    cell: ({ session_id }) => (
      <a href={`/console/s/${session_id}`} className="text-link hover:underline">
        Open it
      </a>
    ),
  },
  { name: 'When', track: '6rem', isNumber: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];

const settlingBy = (settle: (call: Call) => void): Column<Call> => ({
  name: 'Action',
  track: '5rem',
  cell: (call) =>
    call.state === 'unknown' && (
      <Button look="quiet" aria-label={`Settle ${call.name}`} onClick={() => settle(call)}>
        Settle
      </Button>
    ),
});
