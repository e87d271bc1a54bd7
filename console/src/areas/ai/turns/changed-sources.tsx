import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { PAGES } from '../../../api/pages';
import { Dialog } from '../../../ui/dialogs/dialog';
import { ShortList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { Button, Empty } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';

const changedQuery = infiniteQueryOptions({
  queryKey: ['listChangedCitations'],
  queryFn: ({ pageParam }) =>
    dataOf(api.GET('/autopilot/citations/changed', { params: { query: { cursor: pageParam, limit: 50 } } })),
  ...PAGES,
});

/** The answers with quotes of changed sources. */
export const ChangedSources = () => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Answers by changed pages</Button>
      {isOpen && <Changed onClose={() => setOpen(false)} />}
    </>
  );
};

const Changed = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Answers that quote a page that has changed" className="w-[52rem]" onClose={onClose}>
    <ShortList
      label="Changed citations"
      query={useInfiniteQuery(changedQuery)}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      linkOf={({ turn_id }) => ({ to: '/ai', search: { open: turn_id } })}
      empty={<Empty title="Nothing has changed">What answers quote is still as it was.</Empty>}
    />
  </Dialog>
);

const COLUMNS: Column<Schemas['ChangedCitation']>[] = [
  {
    name: 'Quote',
    track: 'minmax(0,1fr)',
    narrow: 'line',
    cell: ({ title, quote }) => (
      <>
        <span className="block truncate">{title}</span>
        <span className="block truncate text-xs font-normal text-quiet">{quote}</span>
      </>
    ),
  },
  {
    name: 'Conversation',
    track: 'minmax(0,12rem)',
    cell: ({ session_id, ticket_number, contact_name }) => (
      <a href={`/console/s/${session_id}`} className="relative z-1 block truncate text-link hover:underline">
        #{ticket_number} {contact_name}
      </a>
    ),
  },
  { name: 'Changed', track: '6rem', isNumber: true, cell: ({ changed_at }) => <Ago at={changed_at} /> },
];
