import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Schemas } from '../../../api/client';
import { enrollmentsQuery } from '../../../api/outbound';
import { ShortList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { FilterBar, type FilterField } from '../../../ui/lists/filter-bar';
import { Chip, Empty } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { endOf } from '../../../ui/short-id';
import { Ago } from '../../../ui/times/ago';
import { namedStep } from '../words';

type Sequence = Schemas['Sequence'];
type Enrollment = Schemas['Enrollment'];
type Name = 'status' | 'step_id' | 'held' | 'exit_reason';

const STATUSES: Record<Enrollment['status'], { name: string; tone: 'plain' | 'good' | 'warn' }> = {
  active: { name: 'Active', tone: 'good' },
  complete: { name: 'Complete', tone: 'plain' },
  exited: { name: 'Left', tone: 'warn' },
  canceled: { name: 'Canceled', tone: 'plain' },
};

const fieldsOf = (sequence: Sequence): FilterField<Name>[] => [
  { name: 'status', label: 'Status', options: Object.entries(STATUSES).map(([status, { name }]) => [status, name]) },
  {
    name: 'step_id',
    label: 'Next step',
    options: sequence.steps.map(({ id, action }, index) => [id, `${index + 1} ${namedStep(action).text}`]),
  },
  { name: 'held', label: 'Deferred', options: [['true', 'Deferred ones only']] },
  {
    name: 'exit_reason',
    label: 'Left because',
    options: [
      ['exit_on_reply', 'They replied'],
      ['exit_when_unmatched', 'They no longer match'],
      ['removed from the sequence', 'They were removed'],
    ],
  },
];

interface EnrollmentsProps {
  sequence: Sequence;
  stats: Schemas['SequenceStats'] | undefined;
}

/** The contacts in the sequence. A click shows the messages of one, and why it did not get the rest. */
export const Enrollments = ({ sequence, stats }: EnrollmentsProps) => {
  const { why, ...filters } = useSearch({ from: '/outbound/$sequenceId' });
  const navigate = useNavigate();
  const list = useInfiniteQuery(enrollmentsQuery(sequence.id, filters));
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const params = { sequenceId: sequence.id };
  const total =
    stats === undefined ? undefined : Object.values(stats.enrollments).reduce((sum, count) => sum + count, 0);
  return (
    <Section
      title="Enrollments"
      actions={total !== undefined && <span className="text-xs text-quiet">{total.toLocaleString()}</span>}
    >
      <FilterBar
        search={filters}
        fields={fieldsOf(sequence)}
        onChange={(search) => void navigate({ to: '/outbound/$sequenceId', params, search: { ...search, why } })}
      />
      <ShortList
        label="Enrollments"
        query={list}
        columns={columnsOf(sequence)}
        keyOf={({ id }) => id}
        linkOf={({ contact_id }) => ({
          to: '/outbound/$sequenceId',
          params,
          search: { ...filters, why: contact_id },
        })}
        empty={
          isFiltered ? (
            <Empty title="Nobody was found">No enrollment meets the filters.</Empty>
          ) : (
            <Empty title="Nobody is enrolled">
              {sequence.status === 'pending'
                ? 'Contacts are enrolled when the sequence is started.'
                : 'Contacts who begin to match the filter appear here.'}
            </Empty>
          )
        }
      />
    </Section>
  );
};

const columnsOf = (sequence: Sequence): Column<Enrollment>[] => [
  {
    name: 'Contact',
    track: 'minmax(0,1.5fr)',
    narrow: 'line',
    cell: ({ contact, contact_id }) => (
      <span className="block truncate">
        {contact.name || contact.email || endOf(contact_id)}
        {contact.name && contact.email && <span className="font-normal text-quiet"> {contact.email}</span>}
      </span>
    ),
  },
  {
    name: 'Status',
    track: '6rem',
    cell: ({ status }) => <Chip tone={STATUSES[status].tone}>{STATUSES[status].name}</Chip>,
  },
  {
    name: 'Last step',
    track: '5rem',
    cell: ({ last_step_id }) => {
      const index = sequence.steps.findIndex(({ id }) => id === last_step_id);
      if (last_step_id === null) return <span className="text-quiet">none yet</span>;
      return index < 0 ? <span className="text-quiet">deleted</span> : `${index + 1} of ${sequence.steps.length}`;
    },
  },
  {
    name: 'Waits or left',
    track: 'minmax(0,1fr)',
    cell: ({ held_until, exit_reason }) => (
      <span className="block truncate" title={exit_reason ?? undefined}>
        {exit_reason ??
          (held_until === null ? (
            ''
          ) : (
            <>
              deferred, again <Ago at={held_until} />
            </>
          ))}
      </span>
    ),
  },
  { name: 'Enrolled', track: '6rem', narrow: 'hidden', cell: ({ created_at }) => <Ago at={created_at} /> },
];
