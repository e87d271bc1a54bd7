import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, dataOf, isMissing, type Schemas } from '../../../api/client';
import { deliveryQuery } from '../../../api/outbound';
import { say } from '../../../app/undo';
import { CopyButton } from '../../../ui/copy-button';
import { Dialog } from '../../../ui/dialogs/dialog';
import { Button, Chip, Failure, Skeleton } from '../../../ui/parts';
import { ShortId } from '../../../ui/short-id';
import { Ago } from '../../../ui/times/ago';
import { CHANNELS, DELIVERY_STATUSES, GATES } from '../words';

type Detail = Schemas['DeliveryDetail'];

const UNDER_WAY: Detail['status'][] = ['held', 'queued', 'sending'];

interface DetailsProps {
  id: string;
  maySettle: boolean;
  onClose: () => void;
}

/** A delivery with all that its provider said. */
export const DeliveryDetails = ({ id, maySettle, onClose }: DetailsProps) => {
  const delivery = useQuery(deliveryQuery(id));
  const isGone = isMissing(delivery.error);
  return (
    <Dialog title="Delivery" className="w-[36rem]" onClose={onClose}>
      {delivery.isPending && <Skeleton rows={4} />}
      {isGone && <p>There is no such delivery.</p>}
      {delivery.error !== null && !isGone && <Failure error={delivery.error} onRetry={() => void delivery.refetch()} />}
      {delivery.data !== undefined && <Shown delivery={delivery.data} maySettle={maySettle} />}
    </Dialog>
  );
};

const Shown = ({ delivery, maySettle }: { delivery: Detail; maySettle: boolean }) => (
  <div className="space-y-4">
    <dl>
      <Row name="To">{delivery.to ?? 'no address'}</Row>
      {delivery.subject !== null && <Row name="Subject">{delivery.subject}</Row>}
      <Row name="Status">
        <Chip tone={DELIVERY_STATUSES[delivery.status].tone}>{DELIVERY_STATUSES[delivery.status].name}</Chip>
      </Row>
      {delivery.reason !== null && <Row name="Reason">{delivery.reason}</Row>}
      {delivery.gate !== null && <Row name="Sending limit">{GATES[delivery.gate] ?? delivery.gate}</Row>}
      {delivery.not_before !== null && (
        <Row name="Again">
          <Ago at={delivery.not_before} />
        </Row>
      )}
      <Row name="Channel">
        {CHANNELS[delivery.channel]}
        {delivery.provider !== null && ` by ${delivery.provider}`}
      </Row>
      {delivery.provider_id !== null && (
        <Row name="Provider’s id">
          <span className="flex items-center gap-1">
            <code className="min-w-0 truncate font-mono text-xs">{delivery.provider_id}</code>
            <CopyButton text={delivery.provider_id} what="the provider’s id" />
          </span>
        </Row>
      )}
      <Row name="Created">
        <Ago at={delivery.created_at} />
      </Row>
      {delivery.sent_at !== null && (
        <Row name="Sent">
          <Ago at={delivery.sent_at} />
        </Row>
      )}
      <Row name="Id">
        <ShortId id={delivery.id} />
      </Row>
      {delivery.sequence_id !== null && (
        <Row name="Sequence">
          <Link
            to="/outbound/$sequenceId"
            params={{ sequenceId: delivery.sequence_id }}
            search={{ why: delivery.contact_id ?? undefined }}
            className="text-link underline"
          >
            {delivery.contact_id === null ? 'Open it' : 'What this contact got of it'}
          </Link>
        </Row>
      )}
    </dl>
    {delivery.status === 'unknown' && maySettle && <Settle id={delivery.id} />}
    <Words delivery={delivery} />
  </div>
);

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex gap-3 py-1">
    <dt className="w-28 shrink-0 text-quiet">{name}</dt>
    <dd className="min-w-0 flex-1 break-words">{children}</dd>
  </div>
);

/** The provider's words about each attempt, with the copies left out before it, and what it reported later. */
const Words = ({ delivery: { status, attempts, answers, callbacks } }: { delivery: Detail }) => {
  if (answers.length + callbacks.length === 0)
    return (
      <p className="text-quiet">
        {attempts > 0
          ? 'No answer of the provider is known.'
          : `No provider was asked${UNDER_WAY.includes(status) ? ' yet' : ''}.`}
      </p>
    );
  return (
    <section aria-label="What the provider said">
      <h3 className="mb-1 font-semibold">What the provider said</h3>
      <ol className="space-y-2">
        {answers.map(({ attempt, at, outcome, answer }) => (
          <li key={`${attempt} ${outcome} ${at}`} className="rounded-md bg-sunken p-2">
            <p className="text-xs text-quiet">
              Try {attempt}: {outcome.replaceAll('_', ' ')}, <Ago at={at} />
            </p>
            {answer !== null && <p className="font-mono text-xs break-words whitespace-pre-wrap">{answer}</p>}
          </li>
        ))}
        {callbacks.map(({ status, reason, received_at }) => (
          <li key={`${status} ${received_at}`} className="rounded-md bg-sunken p-2">
            <p className="text-xs text-quiet">
              Reported {status}, <Ago at={received_at} />
            </p>
            {reason !== null && <p className="font-mono text-xs break-words whitespace-pre-wrap">{reason}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
};

/** Takes down what a person found out at the provider. Nothing is sent by it. */
const Settle = ({ id }: { id: string }) => {
  const client = useQueryClient();
  const settle = useMutation({
    mutationFn: (outcome: 'sent' | 'failed') =>
      dataOf(api.POST('/deliveries/{id}/resolve', { params: { path: { id } }, body: { outcome } })),
    onSuccess: () => say('Settled'),
    onError: (error) => say(error.message, { isError: true }),
    onSettled: () =>
      Promise.all(
        ['getDelivery', 'listDeliveries', 'countDeliveryReasons'].map((name) =>
          client.invalidateQueries({ queryKey: [name] }),
        ),
      ),
  });
  return (
    <div className="rounded-md bg-warn p-3 text-warn-text">
      <p>Nobody knows whether it was sent. Look for it at the provider. Nothing is sent by your answer.</p>
      <div className="mt-2 flex gap-2">
        <Button className="text-text" disabled={settle.isPending} onClick={() => settle.mutate('sent')}>
          It was sent
        </Button>
        <Button className="text-text" disabled={settle.isPending} onClick={() => settle.mutate('failed')}>
          It was not sent
        </Button>
      </div>
    </div>
  );
};
