import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { webhookDeliveryQuery } from '../../../api/settings';
import { Dialog } from '../../../ui/dialogs/dialog';
import { JsonView } from '../../../ui/json/json-view';
import { Chip, failureOf, Skeleton } from '../../../ui/parts';
import { ShortId } from '../../../ui/short-id';
import { StateButton } from '../../../ui/state-button';
import { Ago } from '../../../ui/times/ago';
import { useChange } from '../frame/use-change';
import { DELIVERY_STATES } from './words';

interface DeliveryDialogProps {
  endpointId: string;
  deliveryId: string;
  mayResend: boolean;
  isEnabled: boolean;
  onClose: () => void;
}

/** A delivery: its request, and the answer of each attempt. */
export const DeliveryDialog = ({ endpointId, deliveryId, mayResend, isEnabled, onClose }: DeliveryDialogProps) => {
  const delivery = useQuery(webhookDeliveryQuery(endpointId, deliveryId));
  const resend = useChange(
    () =>
      dataOf(
        api.POST('/webhooks/{id}/deliveries/{deliveryId}/resend', {
          params: { path: { id: endpointId, deliveryId } },
        }),
      ),
    {
      stale: [webhookDeliveryQuery(endpointId, deliveryId).queryKey, ['listWebhookDeliveries', endpointId]],
      says: 'It is sent again',
    },
  );
  return (
    <Dialog title={delivery.data?.event_type ?? 'Delivery'} onClose={onClose} className="w-[44rem]">
      {delivery.isPending && <Skeleton rows={4} />}
      {failureOf(delivery)}
      {delivery.data !== undefined && (
        <div className="space-y-4">
          <div className="flex flex-wrap items-center gap-2">
            <Chip tone={DELIVERY_STATES[delivery.data.status].tone}>{DELIVERY_STATES[delivery.data.status].name}</Chip>
            <ShortId id={delivery.data.id} what="the webhook-id" />
            <span className="flex-1" />
            {mayResend && (
              <StateButton
                forbidden={!isEnabled && 'The endpoint is disabled: enable it first'}
                disabled={resend.isPending}
                onClick={() => resend.mutate(undefined)}
              >
                Send it again
              </StateButton>
            )}
          </div>
          {resend.error !== null && <p className="rounded-md bg-bad p-3 text-bad-text">{resend.error.message}</p>}
          <Attempts log={delivery.data.attempt_log} />
          <JsonView title="What was sent" value={delivery.data.data} />
        </div>
      )}
    </Dialog>
  );
};

const Attempts = ({ log }: { log: Schemas['WebhookAttempt'][] }) =>
  log.length === 0 ? (
    <p className="text-quiet">Not tried yet.</p>
  ) : (
    <ol aria-label="Tries" className="space-y-1">
      {log.map(({ number, at, status, duration_ms, answer, error, next_attempt_at }) => (
        <li key={number} className="rounded-md border border-line p-2">
          <p className="flex flex-wrap gap-x-2">
            <span className="font-medium">
              {number}. {status === null ? 'No answer' : `Answer ${status}`}
            </span>
            <span className="text-quiet">
              <Ago at={at} />, {duration_ms.toLocaleString()} ms
              {next_attempt_at !== null && (
                <>
                  , next <Ago at={next_attempt_at} />
                </>
              )}
            </span>
          </p>
          {(error ?? answer) !== null && (
            <pre className="mt-1 font-mono text-xs break-all whitespace-pre-wrap">{error ?? answer}</pre>
          )}
        </li>
      ))}
    </ol>
  );
