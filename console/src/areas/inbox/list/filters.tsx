import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import type { InboxFilters } from '../../../api/inbox-filters';
import { membersQuery, tagsQuery, teamsQuery } from '../../../api/queries';
import { CHANNELS } from '../../../ui/channels';
import { lazily } from '../../../ui/lazily';
import { DateFields } from '../../../ui/lists/date-fields';
import { Button } from '../../../ui/parts';
import { shownMoment } from '../../../ui/times/time';

const SaveView = lazily(async () => (await import('./save-view')).SaveView);

type Name = Exclude<keyof InboxFilters, 'view' | 'contact_id' | 'status' | 'created_after' | 'created_before'>;
interface Field {
  name: Name;
  label: string;
  options: [value: string, name: string][];
}

const FIXED: Field[] = [
  { name: 'channel', label: 'Channel', options: Object.entries(CHANNELS) },
  {
    name: 'answered_by',
    label: 'Who answers',
    options: [
      ['nobody', 'Nobody'],
      ['people', 'People'],
      ['ai', 'The AI'],
    ],
  },
  {
    name: 'waiting_on',
    label: 'Waiting for',
    options: [
      ['human_agents', 'The team'],
      ['customers', 'The customer'],
    ],
  },
  {
    name: 'sla',
    label: 'Target',
    options: [
      ['warning,breached', 'Near or missed'],
      ['breached', 'Missed'],
    ],
  },
  {
    name: 'unread',
    label: 'Read',
    options: [
      ['true', 'Unread'],
      ['false', 'Read'],
    ],
  },
  {
    name: 'order',
    label: 'Order',
    options: [
      ['newest', 'Newest message first'],
      ['waiting', 'Longest waiting first'],
      ['sla', 'Next target first'],
      ['created', 'Newest conversation first'],
    ],
  },
];

/** The filters with the people, teams and tags of the org. They are asked for where somebody filters. */
function useFields(): Field[] {
  const members = useQuery(membersQuery).data ?? [];
  const teams = useQuery(teamsQuery).data ?? [];
  const tags = useQuery(tagsQuery).data ?? [];
  return [
    {
      name: 'assignee',
      label: 'Assignee',
      options: [['me', 'Me'], ['none', 'Nobody'], ...members.map(({ id, name }): [string, string] => [`${id}`, name])],
    },
    {
      name: 'team',
      label: 'Team',
      options: [['none', 'None'], ...teams.map(({ id, name }): [string, string] => [id, name])],
    },
    { name: 'tag', label: 'Tag', options: tags.map(({ tag_name }): [string, string] => [tag_name, tag_name]) },
    ...FIXED,
  ];
}

interface FieldsProps {
  filters: InboxFilters;
  view: Schemas['InboxView'] | undefined;
  /** Whether what is chosen can be saved, and nothing is chosen yet. */
  canSave: boolean;
}

/** A list for each filter. It begins with the view's value. Each choice is in the address at once. */
export const FilterFields = ({ filters, view, canSave }: FieldsProps) => {
  const navigate = useNavigate();
  return (
    <>
      <fieldset aria-label="Filters" className="grid grid-cols-2 gap-2">
        {useFields().map(({ name, label, options }) => (
          <label key={name} className="block min-w-0">
            <span className="text-xs text-quiet">{label}</span>
            <select
              value={filters[name] ?? ''}
              onChange={({ target }) =>
                void navigate({ to: '/inbox', search: { ...filters, [name]: target.value || undefined } })
              }
              className="h-8 w-full rounded-md border border-line bg-surface px-1.5 hover:bg-hover"
            >
              <option value="">{shownInView({ name, options }, view)}</option>
              {options.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        ))}
        <DateFields
          what="Opened"
          from={filters.created_after ?? view?.query.created_after}
          to={filters.created_before ?? view?.query.created_before}
          onChange={({ from, to }) =>
            void navigate({
              to: '/inbox',
              search: {
                ...filters,
                created_after: from === view?.query.created_after ? filters.created_after : from,
                created_before: to === view?.query.created_before ? filters.created_before : to,
              },
              replace: true,
            })
          }
        />
      </fieldset>
      <Saving view={view} canSave={canSave} />
    </>
  );
};

/** Returns the value of a filter without a choice: the view's, or all. */
function shownInView({ name, options }: Pick<Field, 'name' | 'options'>, view: FieldsProps['view']): string {
  const value = view?.query[name];
  if (value === undefined) return name === 'order' ? 'As in the view' : 'All';
  const nameOf = (wanted: string) => options.find(([option]) => option === wanted)?.[1];
  const names = value.split(',').map((part) => nameOf(part) ?? part);
  return `${nameOf(value) ?? names.join(', ')} (in this view)`;
}

/** The audience of a saved view, and the button that saves the choices. */
const Saving = ({ view, canSave }: Pick<FieldsProps, 'view' | 'canSave'>) => {
  const teams = useQuery(teamsQuery).data ?? [];
  const isSaved = view?.is_built_in === false;
  const team = teams.find(({ id }) => id === view?.team_id)?.name;
  const sharing = {
    me: 'Only you see this view.',
    team: `This view is shared with the team${team === undefined ? '' : ` ${team}`}.`,
    org: 'This view is shared with everybody.',
  };
  return (
    <p className="text-xs text-quiet empty:hidden">
      {isSaved && `${sharing[view.shared]} `}
      {canSave && `What you choose can be saved as ${isSaved ? 'another' : 'a'} view.`}
    </p>
  );
};

interface ChipsProps {
  filters: InboxFilters;
  view: Schemas['InboxView'] | undefined;
  canSave: boolean;
}

/** The filters in the address. Each can be taken off, and all can be kept as a view. */
export const FilterChips = ({ filters, view, canSave }: ChipsProps) => {
  const navigate = useNavigate();
  const [isSaving, save] = useState(false);
  const { view: id, ...given } = filters;
  const names = Object.keys(given).filter((name) => given[name as Name] !== undefined);
  const fields = useFields();
  const shownOf = (name: string): string => {
    const value = `${given[name as Name]}`;
    if (name === 'created_after') return `Opened from ${shownMoment(value)}`;
    if (name === 'created_before') return `Opened before ${shownMoment(value)}`;
    if (name === 'status') return `Status: ${value}`;
    const field = fields.find((one) => one.name === name);
    const text = field?.options.find(([option]) => option === value)?.[1] ?? value;
    return name === 'q' ? `“${value}”` : `${field?.label ?? name}: ${text}`;
  };
  return (
    <div className="flex flex-wrap items-center gap-1">
      {names.map((name) => (
        <button
          key={name}
          type="button"
          aria-label={`Remove the filter ${shownOf(name)}`}
          onClick={() => void navigate({ to: '/inbox', search: { ...filters, [name]: undefined } })}
          className="inline-flex h-6 max-w-full items-center gap-1 rounded-full bg-selected pr-1.5 pl-2.5 text-xs hover:bg-hover"
        >
          <span className="truncate">{shownOf(name)}</span>
          <X size={12} aria-hidden="true" className="shrink-0" />
        </button>
      ))}
      {canSave && (
        <Button className="h-6 px-2 text-xs" onClick={() => save(true)}>
          Save as a view
        </Button>
      )}
      {isSaving && <SaveView query={{ ...view?.query, ...given }} onClose={() => save(false)} />}
    </div>
  );
};
