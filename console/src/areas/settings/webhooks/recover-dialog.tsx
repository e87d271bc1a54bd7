import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { waitingDeliveriesQuery } from '../../../api/settings';
import { Dialog } from '../../../ui/dialogs/dialog';
import { Select } from '../../../ui/forms/fields';
import { FormEnd } from '../../../ui/forms/form-end';
import { Button, failureOf } from '../../../ui/parts';
import { Progress } from '../../../ui/progress';
import { useChange } from '../frame/use-change';

const HOUR_MS = 3_600_000;
const PERIODS = [
  ['1', 'The last hour'],
  ['24', 'The last day'],
  ['168', 'The last 7 days'],
  ['720', 'The last 30 days'],
] as const;

/** Sends what an endpoint missed: counted first, then with a bar of what still waits. */
export const RecoverDialog = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const [hours, setHours] = useState<(typeof PERIODS)[number][0]>('24');
  const since = () => new Date(Date.now() - Number(hours) * HOUR_MS).toISOString();
  const ask = (body: Schemas['RecoverWebhooks']) =>
    dataOf(api.POST('/webhooks/{id}/recover', { params: { path: { id } }, body }));
  const count = useChange(
    async () => {
      const from = since();
      return { from, ...(await ask({ since: from, dry_run: true })) };
    },
    { stale: [] },
  );
  const recover = useChange(
    async (from: string) => ({ from, at: new Date().toISOString(), ...(await ask({ since: from })) }),
    {
      stale: [['listWebhookDeliveries', id]],
    },
  );
  const counted = count.data;
  return (
    <Dialog title="Recover deliveries" onClose={onClose} className="w-[28rem]">
      {recover.data !== undefined ? (
        <Recovery
          id={id}
          since={recover.data.from}
          begunAt={recover.data.at}
          total={recover.data.count}
          onClose={onClose}
        />
      ) : (
        <form
          className="space-y-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (counted === undefined) count.mutate(undefined);
            else recover.mutate(counted.from);
          }}
        >
          <Select
            label="Events of"
            value={hours}
            options={PERIODS}
            onChoose={(chosen) => {
              setHours(chosen);
              count.reset();
            }}
          />
          {counted === undefined ? (
            <p className="text-quiet">
              What was held while the endpoint was disabled, and what failed, is counted first.
            </p>
          ) : (
            <p role="status">
              {counted.by_state.held.toLocaleString()} held and {counted.by_state.failed.toLocaleString()} failed{' '}
              deliveries would be sent again.
            </p>
          )}
          {counted === undefined ? (
            <FormEnd request={count}>Count</FormEnd>
          ) : (
            <FormEnd request={{ ...recover, isPending: recover.isPending || counted.count === 0 }}>
              Send {counted.count.toLocaleString()} again
            </FormEnd>
          )}
        </form>
      )}
    </Dialog>
  );
};

interface RecoveryProps {
  id: string;
  since: string;
  begunAt: string;
  total: number;
  onClose: () => void;
}

const Recovery = ({ id, since, begunAt, total, onClose }: RecoveryProps) => {
  const waiting = useQuery(waitingDeliveriesQuery(id, since, begunAt));
  const count = waiting.data?.count;
  const isMore = waiting.data?.isMore === true;
  const tried = count === undefined || isMore ? undefined : Math.max(total - count, 0);
  return (
    <div className="space-y-4">
      <Progress
        says={
          count === 0
            ? `All ${total.toLocaleString()} were tried. The log shows what came back.`
            : `${total.toLocaleString()} are sent again, ${isMore ? 'more than 100' : (count ?? '…')} wait for their first try`
        }
        done={tried ?? 0}
        total={tried === undefined ? undefined : total}
      />
      {failureOf(waiting)}
      <Button className="w-full justify-center" onClick={onClose}>
        Close
      </Button>
    </div>
  );
};
