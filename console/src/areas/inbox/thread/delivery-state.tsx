import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, api, dataOf, type Schemas } from '../../../api/client';
import { every } from '../../../api/refetching/polling';
import { say } from '../../../app/undo';
import { Button } from '../../../ui/parts';

type Delivery = Schemas['Delivery'];
type Status = Delivery['status'];

const UNDER_WAY: Status[] = ['held', 'queued', 'sending', 'accepted'];
const NOT_SENT: Status[] = ['failed', 'bounced', 'suppressed', 'skipped', 'canceled'];
const REREAD_MS = 5_000;

const deliveryQuery = (id: string) => ({
  queryKey: ['getDelivery', id],
  queryFn: () => dataOf(api.GET('/deliveries/{id}', { params: { path: { id } } })),
});

/** How far a message is on its way, and what to do if it did not arrive. */
export const DeliveryState = ({ id, scopes }: { id: string; scopes: string[] }) => {
  const { data, error } = useQuery({
    ...deliveryQuery(id),
    refetchInterval: ({ state }) =>
      state.data && UNDER_WAY.includes(state.data.status) ? every(REREAD_MS)({ state }) : false,
    staleTime: 30_000,
  });
  if (error instanceof ApiError && error.status === 404) return null; // it was written where nothing sends
  if (data === undefined) return null;
  if (data.status === 'unknown') return <UnknownDelivery delivery={data} scopes={scopes} />;
  const leftOut = data.answers.find(({ outcome }) => outcome === 'copies_left_out');
  if (!NOT_SENT.includes(data.status))
    return (
      <span>
        {' '}
        · {data.status}
        {leftOut && ` · no copy to ${leftOut.answer ?? 'some'}`}
      </span>
    );
  return (
    <p role="note" className="mt-1 max-w-md rounded bg-bad px-2 py-1 text-left text-bad-text">
      Not sent: {data.status}
      {data.reason !== null && ` (${data.reason.replaceAll('_', ' ')})`}. {adviceFor(data)}
    </p>
  );
};

function adviceFor({ status, channel }: Delivery): string {
  if (status === 'suppressed') return 'The address takes no messages: ask the customer for another one.';
  if (status === 'bounced') return 'The address does not exist or refuses mail: check it with the customer.';
  if (status === 'failed' && channel === 'whatsapp')
    return 'Send it again, or ask an admin: WhatsApp takes only templates a day after the customer wrote last.';
  return 'Send it again. If it fails again, ask an admin to look at the channel.';
}

const UnknownDelivery = ({ delivery, scopes }: { delivery: Delivery; scopes: string[] }) => {
  const client = useQueryClient();
  const resolve = useMutation({
    mutationFn: (outcome: 'sent' | 'failed') =>
      dataOf(api.POST('/deliveries/{id}/resolve', { params: { path: { id: delivery.id } }, body: { outcome } })),
    onError: (error) => say(error.message, { isError: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['getDelivery', delivery.id] }),
  });
  const canResolve = scopes.includes('sequences:write');
  return (
    <div role="note" className="mt-1 max-w-md rounded bg-warn px-2 py-1 text-left text-warn-text">
      <p>
        It is unknown whether this was sent: {delivery.provider ?? 'the provider'} did not answer. Look there before you
        send it again{canResolve ? ', then say what you found.' : ', or ask an admin to.'}
      </p>
      {canResolve && (
        <span className="mt-1 flex gap-1.5 text-text">
          <Button className="h-6 px-1.5" disabled={resolve.isPending} onClick={() => resolve.mutate('sent')}>
            It was sent
          </Button>
          <Button className="h-6 px-1.5" disabled={resolve.isPending} onClick={() => resolve.mutate('failed')}>
            It was not
          </Button>
        </span>
      )}
    </div>
  );
};
