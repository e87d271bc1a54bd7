import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Schemas } from '../../../api/client';
import type { InboxFilters } from '../../../api/inbox-filters';
import { useKeys } from '../../../ui/keys';
import { lazily } from '../../../ui/lazily';
import { FilterToggle } from '../../../ui/lists/filter-toggle';

const FilterChips = lazily(async () => (await import('./filters')).FilterChips);
const FilterFields = lazily(async () => (await import('./filters')).FilterFields);
const ViewMenu = lazily(async () => (await import('./view-menu')).ViewMenu);

interface HeadProps {
  views: Schemas['InboxView'][];
  filters: InboxFilters;
  canWrite: boolean;
  isFolded: boolean;
}

/** The contents of a list: its view, searched words and filters. */
export const ListHead = ({ views, filters, canWrite, isFolded }: HeadProps) => {
  const navigate = useNavigate();
  const [isFiltering, showFilters] = useState(false);
  const { view: _, ...given } = filters;
  const isFiltered = Object.values(given).some((value) => value !== undefined);
  const view = views.find(({ id }) => id === filters.view);
  useKeys({
    f: () => showFilters((is) => !is),
    'Shift+f': () => void navigate({ to: '/inbox', search: { view: filters.view } }),
  });
  return (
    <div className="flex flex-col gap-2 border-b border-line p-2">
      <select
        aria-label="View"
        value={filters.view}
        onChange={({ target }) => void navigate({ to: '/inbox', search: { view: target.value } })}
        className={`h-8 rounded-md border border-line bg-surface px-2 font-medium ${isFolded ? '' : 'min-[1200px]:hidden'}`}
      >
        {views.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <div className="flex items-center gap-1">
        <SearchField key={filters.q} filters={filters} />
        <FilterToggle isOpen={isFiltering} onToggle={() => showFilters(!isFiltering)} />
        {canWrite && view?.can_edit && <ViewMenu view={view} />}
      </div>
      {isFiltering && <FilterFields filters={filters} view={view} canSave={canWrite && !isFiltered} />}
      {isFiltered && <FilterChips filters={filters} view={view} canSave={canWrite} />}
    </div>
  );
};

const SearchField = ({ filters }: { filters: InboxFilters }) => {
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const [isTyped, setTyped] = useState(false);
  useKeys({ '/': () => field.current?.focus() });
  return (
    <search className="min-w-0 flex-1">
      <form
        className="relative"
        onSubmit={(event) => {
          event.preventDefault();
          void navigate({ to: '/inbox', search: { ...filters, q: field.current?.value || undefined } });
        }}
      >
        <Search size={15} aria-hidden="true" className="absolute top-2 left-2.5 text-quiet" />
        <input
          ref={field}
          type="search"
          maxLength={200}
          defaultValue={filters.q}
          aria-label="Search conversations"
          aria-keyshortcuts="/"
          placeholder="Search, or #12"
          enterKeyHint="search"
          onChange={({ target }) => setTyped(target.value !== (filters.q ?? ''))}
          onKeyDown={({ key }) => key === 'Escape' && field.current?.blur()}
          className={`h-8 w-full rounded-md border border-line bg-page pl-8 placeholder:text-quiet ${isTyped ? 'pr-20' : 'pr-2'}`}
        />
        {isTyped && (
          <button
            type="submit"
            className="absolute top-1 right-1 h-6 rounded border border-line bg-surface px-1.5 text-xs text-quiet hover:text-text"
          >
            Search ↵
          </button>
        )}
      </form>
    </search>
  );
};
