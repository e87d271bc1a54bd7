import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { countOpen, type Recovery } from '../../../api/settings';
import { Dialog } from '../../../ui/dialogs/dialog';
import { Select } from '../../../ui/forms/fields';
import { FormEnd } from '../../../ui/forms/form-end';
import { useChange } from '../frame/use-change';

const HOUR_MS = 3_600_000;
const PERIODS = [
  ['1', 'The last hour'],
  ['24', 'The last day'],
  ['168', 'The last 7 days'],
  ['720', 'The last 30 days'],
] as const;

interface RecoverProps {
  id: string;
  onBegin: (recovery: Recovery) => void;
  onClose: () => void;
}

/** Counts the events that an endpoint missed, and sends them. */
export const RecoverDialog = ({ id, onBegin, onClose }: RecoverProps) => {
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
    async (from: string) => {
      const { count: total, until } = await countOpen(id, { since: from });
      await ask({ since: from, until });
      onBegin({ since: from, until, total });
      onClose();
    },
    { stale: [['listWebhookDeliveries', id]] },
  );
  const counted = count.data;
  return (
    <Dialog title="Recover deliveries" onClose={onClose} className="w-[28rem]">
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
    </Dialog>
  );
};
