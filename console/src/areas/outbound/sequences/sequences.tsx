import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Schemas } from '../../../api/client';
import { sequenceFiguresQuery, sequencesQuery } from '../../../api/outbound';
import { PartsBar } from '../../../ui/charts/parts-bar';
import { DataList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { FilterBar, type FilterField } from '../../../ui/lists/filter-bar';
import { Page } from '../../../ui/page';
import { Button, Chip, Empty } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { OutboundTabs } from '../tabs';
import { funnelOf, GATES, SEQUENCE_STATUSES } from '../words';

type Sequence = Schemas['Sequence'];
type Figures = Schemas['SequenceFigures'];

const FIELDS: FilterField<'status' | 'order' | 'q'>[] = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(SEQUENCE_STATUSES).map(([status, { name }]) => [status, name]),
  },
  { name: 'order', label: 'Order', all: 'Newest first', options: [['oldest', 'Oldest first']] },
];

/** All sequences: how far each is, and what holds it. */
export const Sequences = () => {
  const search = useSearch({ from: '/outbound' });
  const navigate = useNavigate();
  const list = useInfiniteQuery(sequencesQuery(search));
  const pages = list.data?.pageParams ?? [];
  const figures = useQuery(sequenceFiguresQuery(search, pages as (string | undefined)[])).data;
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <Page title="Outbound" tabs={<OutboundTabs />}>
      <FilterBar
        search={search}
        fields={FIELDS}
        searched="Search sequences"
        onChange={(filters) => void navigate({ to: '/outbound', search: filters })}
      />
      <DataList
        label="Sequences"
        query={list}
        columns={columnsWith(figures)}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/outbound/$sequenceId', params: { sequenceId: id } })}
        empty={
          isFiltered ? (
            <Empty title="Nothing was found">
              No sequence meets the filters.
              <br />
              <Button className="mt-3" onClick={() => void navigate({ to: '/outbound' })}>
                Clear the filters
              </Button>
            </Empty>
          ) : (
            <Empty title="No sequence yet">
              A sequence sends messages to many contacts, step by step. <code>POST /sequences</code> makes one.
            </Empty>
          )
        }
      />
    </Page>
  );
};

const columnsWith = (figures: Map<string, Figures | undefined> | undefined): Column<Sequence>[] => [
  {
    name: 'Name',
    track: 'minmax(0,1.4fr)',
    narrow: 'line',
    cell: ({ name }) => <span className="block truncate">{name}</span>,
  },
  {
    name: 'Status',
    track: '6.5rem',
    cell: ({ status }) => <Chip tone={SEQUENCE_STATUSES[status].tone}>{SEQUENCE_STATUSES[status].name}</Chip>,
  },
  {
    name: 'Next due',
    track: '6rem',
    cell: ({ id, status }) => {
      const at = figures?.get(id)?.next_due_at;
      if (at == null || status !== 'active') return <span className="text-quiet max-[899px]:hidden">–</span>;
      return (
        <>
          <span className="min-[900px]:hidden">Next </span>
          {Date.parse(at) <= Date.now() ? 'now' : <Ago at={at} />}
        </>
      );
    },
  },
  {
    name: 'Held because',
    track: 'minmax(0,1fr)',
    cell: (row) => <Held sequence={row} figures={figures?.get(row.id)} />,
  },
  {
    name: 'Funnel',
    track: 'minmax(8rem,1.2fr)',
    narrow: 'line',
    cell: ({ id }) => <Funnel figures={figures?.get(id)} />,
  },
  ...(['due', 'sent', 'failed'] as const).map(
    (name): Column<Sequence> => ({
      name: `${name[0]?.toUpperCase()}${name.slice(1)}`,
      track: '4.5rem',
      narrow: 'hidden',
      isNumber: true,
      cell: ({ id }) => figures?.get(id)?.[name].toLocaleString() ?? '',
    }),
  ),
];

const Funnel = ({ figures }: { figures: Figures | undefined }) => (
  <div className="flex h-5 items-center">
    {figures === undefined ? (
      <div className="h-2 w-full animate-(--animate-late) rounded-full bg-sunken" />
    ) : (
      <PartsBar label="Messages" parts={funnelOf(figures)} />
    )}
  </div>
);

/** Why the sequence, or the first of its deferred enrollments, waits. */
const Held = ({ sequence, figures }: { sequence: Sequence; figures: Figures | undefined }) => {
  if (sequence.status === 'paused' && sequence.paused_reason !== null)
    return (
      <span className="block truncate text-warn-text" title={sequence.paused_reason}>
        {sequence.paused_reason}
      </span>
    );
  if (figures === undefined || figures.held === 0) return null;
  const { gate, reason } = figures.held_by ?? { gate: null, reason: null };
  const name = gate === null ? 'Tried again' : (GATES[gate] ?? gate);
  return (
    <span className="block truncate" title={reason ?? undefined}>
      {name} <span className="text-quiet">· {figures.held.toLocaleString()}</span>
    </span>
  );
};
