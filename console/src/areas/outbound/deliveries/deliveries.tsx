import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { deliveriesQuery, sequenceQuery } from '../../../api/outbound';
import { meQuery } from '../../../api/queries';
import { DataList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { FilterBar, type FilterField } from '../../../ui/lists/filter-bar';
import { Page } from '../../../ui/page';
import { Button, Chip, Empty } from '../../../ui/parts';
import { endOf } from '../../../ui/short-id';
import { Ago } from '../../../ui/times/ago';
import { OutboundTabs } from '../tabs';
import { CHANNELS, DELIVERY_STATUSES } from '../words';
import { DeliveryDetails } from './delivery-details';
import { Reasons } from './reasons';
import { UnknownBar } from './unknown-bar';

type Delivery = Schemas['Delivery'];

const OUTCOMES: [string, string][] = [
  ['waiting', 'Waiting'],
  ['sent', 'Sent, delivered ones too'],
  ['delivered', 'Delivered or read'],
  ['failed', 'Failed or bounced'],
  ['skipped', 'Skipped, suppressed or canceled'],
  ['unknown', 'Unknown'],
];

const FIELDS: FilterField<'status' | 'outcome' | 'channel' | 'order'>[] = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(DELIVERY_STATUSES).map(([status, { name }]) => [status, name]),
  },
  { name: 'outcome', label: 'Outcome', options: OUTCOMES },
  { name: 'channel', label: 'Channel', options: Object.entries(CHANNELS) },
  { name: 'order', label: 'Order', all: 'Newest first', options: [['oldest', 'Oldest first']] },
];

/** Every message, sent or not, with the reason. */
export const Deliveries = () => {
  const { open, ...filters } = useSearch({ from: '/outbound/deliveries' });
  const navigate = useNavigate();
  const list = useInfiniteQuery(deliveriesQuery(filters));
  const sequenceName = useQuery({
    ...sequenceQuery(filters.sequence_id ?? ''),
    enabled: filters.sequence_id !== undefined,
  }).data?.name;
  const me = useQuery(meQuery).data;
  const maySettle = useMay('sequences:write');
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const show = (search: typeof filters) => void navigate({ to: '/outbound/deliveries', search });
  const shownOf = (name: string, value: string): string | undefined => {
    if (name === 'sequence_id') return `Sequence: ${sequenceName ?? endOf(value)}`;
    if (name === 'reason') return `Reason: ${value}`;
    return name in IDS ? `${IDS[name]}: ${endOf(value)}` : undefined;
  };
  return (
    <Page title="Outbound" tabs={<OutboundTabs />}>
      <FilterBar search={filters} fields={FIELDS} dated="Created" shownOf={shownOf} onChange={show} />
      <Reasons filters={filters} onChoose={(chosen) => show({ ...filters, ...chosen })} />
      {me !== undefined && maySettle && <UnknownBar orgId={me.org.id} filters={filters} />}
      <DataList
        label="Deliveries"
        query={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/outbound/deliveries', search: { ...filters, open: id } })}
        empty={
          isFiltered ? (
            <Empty title="Nothing was found">
              No delivery meets the filters.
              <br />
              <Button className="mt-3" onClick={() => show({})}>
                Clear the filters
              </Button>
            </Empty>
          ) : (
            <Empty title="Nothing was sent yet">
              Every message and call appears here, sent or not, with the reason.
            </Empty>
          )
        }
      />
      {open !== undefined && <DeliveryDetails id={open} maySettle={maySettle} onClose={() => show(filters)} />}
    </Page>
  );
};

const IDS: Record<string, string> = { contact_id: 'Contact', session_id: 'Conversation', step_id: 'Step' };

const COLUMNS: Column<Delivery>[] = [
  {
    name: 'To',
    track: 'minmax(0,1.2fr)',
    narrow: 'line',
    cell: ({ to }) => <span className="block truncate">{to ?? 'no address'}</span>,
  },
  {
    name: 'Status',
    track: '6.5rem',
    cell: ({ status }) => <Chip tone={DELIVERY_STATUSES[status].tone}>{DELIVERY_STATUSES[status].name}</Chip>,
  },
  { name: 'Channel', track: '5.5rem', cell: ({ channel }) => CHANNELS[channel] },
  { name: 'Created', track: '6rem', cell: ({ created_at }) => <Ago at={created_at} /> },
  {
    name: 'Reason',
    track: 'minmax(0,2fr)',
    narrow: 'line',
    cell: ({ reason }) => (
      <span className="block truncate text-quiet" title={reason ?? undefined}>
        {reason}
      </span>
    ),
  },
  { name: 'Tries', track: '3rem', narrow: 'hidden', isNumber: true, cell: ({ attempts }) => attempts },
];
