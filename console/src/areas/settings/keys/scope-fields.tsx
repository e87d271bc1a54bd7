import { type Scope, SUBJECTS } from './scopes';

interface ScopeFieldsProps {
  chosen: Scope[];
  /** What the member has: a key cannot have more. */
  own: string[];
  onChange: (scopes: Scope[]) => void;
}

/** What a key may read and change, by subject. */
export const ScopeFields = ({ chosen, own, onChange }: ScopeFieldsProps) => {
  const box = (name: string, does: string, scope: Scope | undefined) =>
    scope === undefined || !own.includes(scope) ? (
      <span />
    ) : (
      <input
        type="checkbox"
        aria-label={`${does} ${name}`}
        checked={chosen.includes(scope)}
        onChange={({ target }) =>
          onChange(target.checked ? [...chosen, scope] : chosen.filter((other) => other !== scope))
        }
        className="m-1 size-4 justify-self-center accent-(--accent)"
      />
    );
  return (
    <fieldset className="rounded-md border border-line p-3">
      <legend className="px-1 text-xs text-quiet">What it may do</legend>
      <div className="grid grid-cols-[minmax(0,1fr)_4rem_4rem] items-center gap-y-1">
        <span />
        <span className="text-center text-xs text-quiet">Read</span>
        <span className="text-center text-xs text-quiet">Change</span>
        {SUBJECTS.map((subject) => (
          <div key={subject.name} className="contents">
            <span className="min-w-0">{subject.name}</span>
            {box(subject.name, 'Read', 'read' in subject ? subject.read : undefined)}
            {box(subject.name, 'Change', subject.write)}
          </div>
        ))}
      </div>
    </fieldset>
  );
};
