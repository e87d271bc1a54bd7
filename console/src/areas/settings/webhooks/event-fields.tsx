import { EVENT_TYPES } from './words';

interface EventFieldsProps {
  chosen: string[];
  /** What is stored: it may have events of a later version than this page. */
  stored?: string[];
  onChange: (types: string[]) => void;
}

/** Which events are sent. None chosen means all of them. */
export const EventFields = ({ chosen, stored = [], onChange }: EventFieldsProps) => (
  <fieldset className="rounded-md border border-line p-3">
    <legend className="px-1 text-xs text-quiet">
      Events {chosen.length === 0 ? '(all, also those of later versions)' : `(${chosen.length} chosen)`}
    </legend>
    <div className="grid gap-x-3 min-[480px]:grid-cols-2">
      {[...new Set<string>([...EVENT_TYPES, ...stored])].map((type) => (
        <label key={type} className="flex min-h-7 items-center gap-2">
          <input
            type="checkbox"
            checked={chosen.includes(type)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, type] : chosen.filter((other) => other !== type))
            }
            className="size-4 shrink-0 accent-(--accent)"
          />
          <span className="min-w-0 text-xs break-words">{type}</span>
        </label>
      ))}
    </div>
  </fieldset>
);
