import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { api, dataOf, type Schemas } from '../../api/client';
import { meQuery } from '../../api/queries';
import { every } from '../../api/refetching/polling';
import { Button, Chip, Empty, failureOf, Skeleton } from '../../ui/parts';
import { shownMoment } from '../../ui/times/time';

type Confirmation = Schemas['McpConfirmation'];

const READ_AGAIN_MS = 15_000;
const TONES = { done: 'good', failed: 'bad', needs_confirmation: 'warn' } as const;
const STATES: Record<Confirmation['state'], string> = {
  needs_confirmation: 'Waits for you',
  running: 'Being done',
  done: 'Done',
  failed: 'Failed',
  rejected: 'Rejected',
  expired: 'Its time is over',
};

const waitingQuery = queryOptions({
  queryKey: ['listMcpConfirmations'],
  queryFn: () => dataOf(api.GET('/mcp/confirmations', { params: { query: { limit: 100 } } })),
  refetchInterval: every(READ_AGAIN_MS),
});

const oneQuery = (id: string) =>
  queryOptions({
    queryKey: ['getMcpConfirmation', id],
    queryFn: () => dataOf(api.GET('/mcp/confirmations/{id}', { params: { path: { id } } })),
    enabled: id !== '',
  });

/** Calls of people's assistants waiting for a person, and the one in the address. */
export const Assistants = () => {
  const { id = '' } = useSearch({ from: '/assistants' });
  const waiting = useQuery(waitingQuery);
  const one = useQuery(oneQuery(id));
  const others = waiting.data?.items.filter((call) => call.id !== id) ?? [];
  const canDecide = useQuery(meQuery).data?.scopes.includes('confirmations:write') ?? false;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-4">
      <div className="mx-auto max-w-180">
        <h1 className="text-lg font-semibold">Requests of assistants</h1>
        <p className="mt-1 text-quiet">
          Assistants that use an API key ask here before they write to customers. What you confirm is done by your
          rights.
        </p>
        {waiting.isPending && <Skeleton rows={3} />}
        {failureOf(waiting)}
        {failureOf(one)}
        <ul>
          {one.data !== undefined && <Request call={one.data} canDecide={canDecide} />}
          {others.map((call) => (
            <Request key={call.id} call={call} canDecide={canDecide} />
          ))}
        </ul>
        {waiting.data?.items.length === 0 && one.data === undefined && (
          <Empty title="Nothing waits">A request is here for 24 hours.</Empty>
        )}
      </div>
    </div>
  );
};

const Request = ({ call, canDecide }: { call: Confirmation; canDecide: boolean }) => {
  const decision = useDecision(call.id);
  const { state } = call;
  // The link shows which session it is.
  const shown = Object.entries(call.arguments).filter(([name]) => name !== 'id' || call.session_id === null);
  return (
    <li className="mt-3 rounded-lg border border-line bg-surface p-3" aria-label={call.title}>
      <p className="flex flex-wrap items-baseline gap-x-2 font-medium">
        {call.title}
        <Chip tone={state in TONES ? TONES[state as keyof typeof TONES] : 'plain'}>{STATES[state]}</Chip>
      </p>
      <p className="text-xs text-quiet">
        Asked by the key “{call.asked_by}” {shownMoment(call.created_at)}
        {call.decided_by !== null && `, decided by ${call.decided_by}`}
      </p>
      <dl className="mt-2">
        {shown.map(([name, value]) => (
          <div key={name} className="mt-1">
            <dt className="text-xs text-quiet">{name}</dt>
            <dd className="break-words whitespace-pre-wrap">
              {typeof value === 'string' ? value : JSON.stringify(value)}
            </dd>
          </div>
        ))}
      </dl>
      {call.session_id !== null && (
        <a className="mt-2 inline-block text-link" href={`/console/s/${call.session_id}`}>
          Open the conversation
        </a>
      )}
      {state === 'failed' && <p className="mt-2 text-bad-text">The server answered {call.answer_status}.</p>}
      {decision.error !== null && <p className="mt-2 text-bad-text">{decision.error.message}</p>}
      {state === 'needs_confirmation' && canDecide && (
        <div className="mt-3 flex gap-2">
          <Button look="main" disabled={decision.isPending} onClick={() => decision.mutate('confirm')}>
            Confirm
          </Button>
          <Button disabled={decision.isPending} onClick={() => decision.mutate('reject')}>
            Reject
          </Button>
        </div>
      )}
    </li>
  );
};

function useDecision(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (decision: 'confirm' | 'reject') => {
      const params = { params: { path: { id } } };
      return dataOf(
        decision === 'confirm'
          ? api.POST('/mcp/confirmations/{id}/confirm', params)
          : api.POST('/mcp/confirmations/{id}/reject', params),
      );
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['listMcpConfirmations'] }),
        client.invalidateQueries({ queryKey: ['getMcpConfirmation', id] }),
      ]),
  });
}
