import { Search, X } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { useKeys } from '../keys';
import { shownMoment } from '../times/time';
import { DateFields } from './date-fields';
import { FilterToggle } from './filter-toggle';

export interface FilterField<Name extends string = string> {
  name: Name;
  label: string;
  options: [value: string, name: string][];
  /** What no choice means. */
  all?: string;
}

type Filters = Record<string, string | undefined>;

interface BarProps<Search extends Filters> {
  /** The filters in the address. */
  search: Search;
  fields: FilterField<Extract<keyof Search, string>>[];
  /** What the search for words finds, if there is one: its words are `q`. */
  searched?: string;
  /** What the dates `from` and `to` are of, if the list has them: begun. */
  dated?: string;
  /** What a filter without a field shows, such as the name of a contact. */
  shownOf?: (name: string, value: string) => string | undefined;
  onChange: (search: Search) => void;
  children?: ReactNode;
}

/** Words to search for, a choice for each filter, and the chosen ones as chips. All of them are in the address. */
export function FilterBar<Search extends Filters>({
  search,
  fields,
  searched,
  dated,
  shownOf,
  onChange,
  children,
}: BarProps<Search>) {
  const [isOpen, setOpen] = useState(false);
  useKeys({ f: () => setOpen((is) => !is), 'Shift+f': () => onChange({} as Search) });
  return (
    <div className="flex shrink-0 flex-col gap-2 border-b border-line px-4 py-2">
      <div className="flex flex-wrap items-center gap-1">
        {searched !== undefined && (
          <SearchField words={search.q} searched={searched} onSearch={(q) => onChange({ ...search, q })} />
        )}
        {fields.length > 0 && <FilterToggle isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />}
        <span className="flex-1" />
        {children}
      </div>
      {isOpen && (
        <fieldset aria-label="Filters" className="grid grid-cols-2 gap-2 min-[900px]:grid-cols-5">
          {fields.map((field) => (
            <Choice
              key={field.name}
              {...field}
              value={search[field.name] ?? ''}
              onChoose={(value) => onChange({ ...search, [field.name]: value || undefined })}
            />
          ))}
          {dated !== undefined && (
            <DateFields
              what={dated}
              from={search.from}
              to={search.to}
              onChange={(range) => onChange({ ...search, ...range })}
            />
          )}
        </fieldset>
      )}
      <Chips search={search} fields={fields} shownOf={shownOf} onChange={onChange} />
    </div>
  );
}

interface ChoiceProps extends FilterField {
  value: string;
  onChoose: (value: string) => void;
}

const Choice = ({ label, options, all = 'All', value, onChoose }: ChoiceProps) => (
  <label className="block min-w-0">
    <span className="text-xs text-quiet">{label}</span>
    <select
      value={value}
      onChange={({ target }) => onChoose(target.value)}
      className="h-8 w-full rounded-md border border-line bg-surface px-1.5 hover:bg-hover"
    >
      <option value="">{all}</option>
      {options.map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  </label>
);

function Chips<Search extends Filters>({
  search,
  fields,
  shownOf,
  onChange,
}: Pick<BarProps<Search>, 'search' | 'fields' | 'shownOf' | 'onChange'>) {
  const given = Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const textOf = (name: string, value: string): string => {
    const field = fields.find((one) => one.name === name);
    const text = field?.options.find(([option]) => option === value)?.[1] ?? value;
    if (name === 'q') return `“${value}”`;
    if (name === 'from') return `From ${shownMoment(value)}`;
    if (name === 'to') return `Before ${shownMoment(value)}`;
    return shownOf?.(name, value) ?? `${field?.label ?? name}: ${text}`;
  };
  if (given.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-1">
      {given.map(([name, value]) => (
        <button
          key={name}
          type="button"
          aria-label={`Remove the filter ${textOf(name, value)}`}
          onClick={() => onChange({ ...search, [name]: undefined })}
          className="inline-flex h-6 max-w-full items-center gap-1 rounded-full bg-selected pr-1.5 pl-2.5 text-xs hover:bg-hover"
        >
          <span className="truncate">{textOf(name, value)}</span>
          <X size={12} aria-hidden="true" className="shrink-0" />
        </button>
      ))}
    </div>
  );
}

interface SearchProps {
  words: string | undefined;
  searched: string;
  onSearch: (words: string | undefined) => void;
}

const SearchField = ({ words, searched, onSearch }: SearchProps) => {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.focus() });
  return (
    <search className="w-72 max-w-full min-w-0">
      <form
        className="relative"
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(field.current?.value.trim() || undefined);
        }}
      >
        <Search size={15} aria-hidden="true" className="absolute top-2 left-2.5 text-quiet" />
        <input
          ref={field}
          key={words}
          type="search"
          maxLength={200}
          defaultValue={words}
          aria-label={searched}
          aria-keyshortcuts="/"
          placeholder={searched}
          onKeyDown={({ key }) => key === 'Escape' && field.current?.blur()}
          className="h-8 w-full rounded-md border border-line bg-page pr-2 pl-8 placeholder:text-quiet"
        />
      </form>
    </search>
  );
};
