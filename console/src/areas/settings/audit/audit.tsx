import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type AuditFilters, auditQuery } from '../../../api/audit';
import type { Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { DataList } from '../../../ui/lists/data-list';
import type { Column } from '../../../ui/lists/data-row';
import { FilterBar, type FilterField } from '../../../ui/lists/filter-bar';
import { Chip, Empty } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { SettingsPage } from '../frame/settings-page';
import { ACTIONS, ACTORS, KINDS, pageOf } from './words';

type Entry = Schemas['AuditEntry'];
type Name = 'actor' | 'kind' | 'ref' | 'from' | 'to';

const DAY_MS = 86_400_000;
/** Times at which a day began, as a filter in the address has them. */
const daysAgo = (days: number) => new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - days * DAY_MS).toISOString();

const FIELDS: FilterField<Name>[] = [
  { name: 'kind', label: 'What', options: Object.entries(KINDS) },
  {
    name: 'from',
    label: 'Since',
    options: [
      [daysAgo(0), 'Today (UTC)'],
      [daysAgo(7), '7 days'],
      [daysAgo(30), '30 days'],
    ],
  },
];

/** Changes of an organization's settings, and sign-ins, with their authors. */
export const Audit = () => {
  const search = useSearch({ from: '/settings/audit' });
  const navigate = useNavigate();
  const mayRead = useMay('audit:read');
  const list = useInfiniteQuery({ ...auditQuery(search as AuditFilters), enabled: mayRead });
  const entries = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const nameOfActor = (id: string) => entries.find(({ actor }) => actor.id === id)?.actor.name ?? id.slice(-6);
  return (
    <SettingsPage title="Audit" isList>
      <FilterBar
        search={search}
        fields={FIELDS}
        shownOf={(name, value) => {
          if (name === 'actor') return `By ${nameOfActor(value)}`;
          return name === 'ref' ? `Object ${value.slice(-12)}` : undefined;
        }}
        onChange={(filters) => void navigate({ to: '/settings/audit', search: filters })}
      />
      {mayRead ? (
        <DataList
          label="Audit"
          query={list}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          empty={<Empty title="Nothing meets the filters">Changes of settings appear here with who made them.</Empty>}
        />
      ) : (
        <Empty title="For admins only">Your role lacks the scope audit:read.</Empty>
      )}
    </SettingsPage>
  );
};

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** A field with its values, if the audit has them. */
const Change = ({ change: { field, old, new: next } }: { change: Entry['changes'][number] }) => {
  const hasValues = old !== undefined || next !== undefined;
  return (
    <li className="min-w-0 [overflow-wrap:anywhere]">
      <span className="font-medium">{field}</span>
      {hasValues && (
        <>
          {' '}
          {old !== undefined && old !== null && (
            <>
              <del className="text-quiet">{shown(old)}</del> →{' '}
            </>
          )}
          <ins className="no-underline">{shown(next)}</ins>
        </>
      )}
    </li>
  );
};

const Changes = ({ changes }: { changes: Entry['changes'] }) => {
  const few = changes.slice(0, 3);
  const items = (some: Entry['changes']) => some.map((change) => <Change key={change.field} change={change} />);
  if (changes.length <= few.length) return <ul className="text-xs">{items(changes)}</ul>;
  return (
    <details className="text-xs">
      <summary className="cursor-pointer text-quiet">{changes.length} fields</summary>
      <ul className="mt-1">{items(changes)}</ul>
    </details>
  );
};

const What = ({ entry: { kind, ref, name } }: { entry: Entry }) => {
  const page = pageOf(kind, ref);
  const title = `${KINDS[kind]}${name === null ? '' : ` “${name}”`}`;
  return (
    <span className="block min-w-0 truncate font-medium">
      {page === undefined ? (
        title
      ) : (
        <a href={`/console${page}`} className="text-link hover:underline">
          {title}
        </a>
      )}
    </span>
  );
};

const COLUMNS: Column<Entry>[] = [
  { name: 'What', track: 'minmax(0,1.2fr)', narrow: 'line', cell: (entry) => <What entry={entry} /> },
  {
    name: 'Done',
    track: '6rem',
    cell: ({ action, kind }) => (
      <Chip tone={action === 'deleted' ? 'warn' : 'plain'}>{kind === 'sign_in' ? 'signed in' : ACTIONS[action]}</Chip>
    ),
  },
  {
    name: 'By',
    track: 'minmax(0,0.8fr)',
    cell: ({ actor }) => {
      const name = `${ACTORS[actor.kind]}${actor.name === null ? '' : ` ${actor.name}`}`;
      return actor.id === null ? (
        name
      ) : (
        <Link
          to="/settings/audit"
          search={(search) => ({ ...search, actor: actor.id ?? undefined })}
          className="block truncate text-link hover:underline"
        >
          {name}
        </Link>
      );
    },
  },
  {
    name: 'Changes',
    track: 'minmax(0,2fr)',
    narrow: 'line',
    cell: ({ changes }) => <Changes changes={changes} />,
  },
  {
    name: 'History',
    track: '7rem',
    cell: ({ ref }) => (
      <Link to="/settings/audit" search={{ ref }} className="text-link hover:underline">
        All of it
      </Link>
    ),
  },
  { name: 'When', track: '7rem', cell: ({ at }) => <Ago at={at} /> },
];
