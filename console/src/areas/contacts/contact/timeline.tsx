import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type TimelineItem, timelineQuery } from '../../../api/overview';
import { linkTo } from '../../../app/ref-links';
import { ShortList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { FilterBar, type FilterField } from '../../../ui/lists/filter-bar';
import { Empty } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';

const KINDS: Record<TimelineItem['kind'], string> = {
  session: 'Conversation',
  delivery: 'Message',
  enrollment: 'Sequence',
  run: 'Workflow',
  csat: 'Rating',
  suppression: 'Suppression',
};

const FIELDS: FilterField<'kinds'>[] = [{ name: 'kinds', label: 'Kind', options: Object.entries(KINDS) }];

/** All there is of a contact, newest first. */
export const Timeline = ({ id }: { id: string }) => {
  const search = useSearch({ from: '/contacts/$contactId' });
  const navigate = useNavigate();
  const list = useInfiniteQuery(timelineQuery(id, search.kinds));
  return (
    <Section title="Timeline" className="min-w-0">
      <FilterBar
        search={search}
        fields={FIELDS}
        onChange={(filters) =>
          void navigate({ to: '/contacts/$contactId', params: { contactId: id }, search: filters })
        }
      />
      <ShortList
        label="Timeline"
        query={list}
        columns={COLUMNS}
        keyOf={({ id: itemId }) => itemId}
        linkOf={linkOf}
        empty={<Empty title={search.kinds === undefined ? 'Nothing has happened yet' : 'There is none'} />}
      />
    </Section>
  );
};

/** Every kind of a timeline has a page. */
const linkOf = ({ ref }: TimelineItem) => linkTo(ref) ?? {};

const COLUMNS: Column<TimelineItem>[] = [
  {
    name: 'What',
    track: 'minmax(0,1fr)',
    narrow: 'line',
    cell: ({ title }) => <span className="block truncate">{title}</span>,
  },
  { name: 'Kind', track: '7rem', cell: ({ kind }) => KINDS[kind] },
  {
    name: 'State',
    track: '9rem',
    cell: ({ status }) => <span className="block truncate text-quiet">{status?.replaceAll('_', ' ')}</span>,
  },
  { name: 'When', track: '6rem', cell: ({ at }) => <Ago at={at} /> },
];
