import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type Turn, type TurnFilters, turnsQuery } from '../../../api/ai';
import { DataList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { FilterBar, type FilterField } from '../../../ui/lists/filter-bar';
import { Page } from '../../../ui/page';
import { Chip, Empty } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { AiTabs } from '../tabs';
import { confidenceOf, shownCode, TURN_STATES } from '../words';
import { ChangedSources } from './changed-sources';
import { TurnDialog } from './turn-dialog';

const FIELDS: FilterField<'state' | 'reason' | 'cited_item_id' | 'from' | 'to'>[] = [
  {
    name: 'state',
    label: 'Outcome',
    options: Object.entries(TURN_STATES).map(([state, { name }]) => [state, name]),
  },
];

/** What the AI did in conversations, by outcome and reason. */
export const Turns = () => {
  const { state, reason, cited_item_id, from, to, open } = useSearch({ from: '/ai' });
  const filters = { state, reason, cited_item_id, from, to };
  const navigate = useNavigate();
  const list = useInfiniteQuery(turnsQuery(filters as TurnFilters));
  const turns = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const reasons = [
    ...new Set([...turns.flatMap((turn) => turn.reason ?? []), ...(reason === undefined ? [] : [reason])]),
  ];
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page title="AI" tabs={<AiTabs />} actions={<ChangedSources />}>
      <FilterBar
        search={filters}
        dated="Begun"
        fields={[...FIELDS, { name: 'reason', label: 'Reason', options: reasons.map((one) => [one, shownCode(one)]) }]}
        shownOf={(name) => (name === 'cited_item_id' ? 'Quotes one source' : undefined)}
        onChange={(search) => void navigate({ to: '/ai', search })}
      />
      <p className="border-b border-line px-4 py-2 text-xs text-quiet">
        Each row is one time that the AI dealt with what a customer wrote. Confidence says how well what it found fits
        the question: from the second number on it answers by itself.
      </p>
      <DataList
        label="Answers"
        query={list}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/ai', search: { ...filters, open: id } })}
        empty={
          isFiltered ? (
            <Empty title="Nothing was found">None meets the filters.</Empty>
          ) : (
            <Empty title="The AI has not answered yet">Switch it on for a channel in the settings.</Empty>
          )
        }
      />
      {open !== undefined && (
        <TurnDialog key={open} id={open} onClose={() => void navigate({ to: '/ai', search: filters })} />
      )}
    </Page>
  );
};

const COLUMNS: Column<Turn>[] = [
  {
    name: 'Outcome',
    track: '9rem',
    cell: ({ state }) => <Chip tone={TURN_STATES[state].tone}>{TURN_STATES[state].name}</Chip>,
  },
  {
    name: 'Reason',
    track: 'minmax(0,1.5fr)',
    cell: ({ reason }) => (reason === null ? null : <span className="block truncate">{shownCode(reason)}</span>),
  },
  {
    name: 'Sources',
    track: 'minmax(0,2fr)',
    narrow: 'line',
    cell: ({ citations }) => (
      <span className="block truncate text-quiet">{[...new Set(citations.map(({ title }) => title))].join(', ')}</span>
    ),
  },
  {
    name: 'Confidence',
    track: '11rem',
    isNumber: true,
    narrow: 'hidden',
    cell: (turn) => confidenceOf(turn) ?? <span className="text-quiet">–</span>,
  },
  {
    name: 'Cost',
    track: '5rem',
    isNumber: true,
    narrow: 'hidden',
    cell: ({ cost }) => (cost === 0 ? <span className="text-quiet">–</span> : cost.toFixed(4)),
  },
  {
    name: 'Conversation',
    track: '7rem',
    cell: ({ session_id }) => (
      <a href={`/console/s/${session_id}`} className="relative z-1 text-link hover:underline">
        Open it
      </a>
    ),
  },
  { name: 'When', track: '6rem', isNumber: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];
