import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { suppressionsQuery } from '../../../api/outbound';
import { say } from '../../../app/undo';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { DataList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { FilterBar, type FilterField } from '../../../ui/lists/filter-bar';
import { Page } from '../../../ui/page';
import { Button, Chip, Empty } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { OutboundTabs } from '../tabs';
import { CHANNELS } from '../words';
import { AddSuppression } from './add-suppression';
import { SUPPRESSED_CHANNELS } from './channels';

type Suppression = Schemas['Suppression'];

const FIELDS: FilterField<'channel' | 'q'>[] = [{ name: 'channel', label: 'Channel', options: SUPPRESSED_CHANNELS }];

const REASONS: Record<string, { name: string; tone: 'bad' | 'warn' | 'plain' }> = {
  bounced: { name: 'Bounced: nothing is sent', tone: 'bad' },
  unsubscribed: { name: 'Unsubscribed', tone: 'warn' },
  manual: { name: 'By hand', tone: 'plain' },
};

/** Addresses that get nothing, and why. */
export const Suppressions = () => {
  const search = useSearch({ from: '/outbound/suppressions' });
  const navigate = useNavigate();
  const mayWrite = useMay('contacts:write');
  const [isAdding, add] = useState(false);
  const [removed, remove] = useState<Suppression>();
  const { channel, q } = search;
  const list = useInfiniteQuery(suppressionsQuery({ channel, address: q }));
  const isFiltered = channel !== undefined || q !== undefined;
  return (
    <Page
      title="Outbound"
      tabs={<OutboundTabs />}
      actions={
        mayWrite && (
          <Button look="main" onClick={() => add(true)}>
            Suppress an address
          </Button>
        )
      }
    >
      <FilterBar
        search={search}
        fields={FIELDS}
        searched="A whole address"
        onChange={(filters) => void navigate({ to: '/outbound/suppressions', search: filters })}
      />
      <DataList
        label="Suppressions"
        query={list}
        columns={mayWrite ? [...COLUMNS, removalBy(remove)] : COLUMNS}
        keyOf={({ id }) => id}
        empty={
          isFiltered ? (
            <Empty title="It is not suppressed">No suppression meets the filters.</Empty>
          ) : (
            <Empty title="Nobody is suppressed">
              Addresses that bounce or unsubscribe appear here by themselves, and get nothing more.
            </Empty>
          )
        }
      />
      {isAdding && <AddSuppression onClose={() => add(false)} />}
      {removed !== undefined && <Removal suppression={removed} onClose={() => remove(undefined)} />}
    </Page>
  );
};

const COLUMNS: Column<Suppression>[] = [
  {
    name: 'Address',
    track: 'minmax(0,1.5fr)',
    narrow: 'line',
    cell: ({ address }) => <span className="block truncate font-medium">{address}</span>,
  },
  { name: 'Channel', track: '7rem', cell: ({ channel }) => CHANNELS[channel] },
  {
    name: 'Reason',
    track: 'minmax(0,1fr)',
    cell: ({ reason }) => {
      const { name, tone } = REASONS[reason] ?? { name: reason, tone: 'plain' as const };
      return <Chip tone={tone}>{name}</Chip>;
    },
  },
  { name: 'Since', track: '7rem', cell: ({ created_at }) => <Ago at={created_at} /> },
];

const removalBy = (remove: (suppression: Suppression) => void): Column<Suppression> => ({
  name: 'Action',
  track: '6rem',
  cell: (suppression) => (
    <Button look="quiet" aria-label={`Remove ${suppression.address}`} onClick={() => remove(suppression)}>
      Remove
    </Button>
  ),
});

const Removal = ({
  suppression: { id, address, reason },
  onClose,
}: {
  suppression: Suppression;
  onClose: () => void;
}) => {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/suppressions/{id}', { params: { path: { id } } })),
    onSuccess: () => say(`${address} gets messages again`),
    onError: (error) => say(error.message, { isError: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['listSuppressions'] }),
  });
  return (
    <ConfirmDialog
      title={`Send to ${address} again`}
      action="Remove the suppression"
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {reason === 'unsubscribed' && 'They asked for no more messages. '}
      {reason === 'bounced' && 'The address refused mail. If it bounces again, it is suppressed again. '}
      Messages that were skipped meanwhile are not sent afterwards.
    </ConfirmDialog>
  );
};
