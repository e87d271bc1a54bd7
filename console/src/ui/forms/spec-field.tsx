import { type ReactNode, useId } from 'react';
import { Button } from '../parts';
import { type FieldSpec, REMOVED_SECRET } from './spec';

interface SpecFieldProps {
  spec: FieldSpec;
  value: string | boolean;
  /** What the API says is wrong with it. */
  problem?: string | undefined;
  /** Whether a secret is stored, which stays if nothing is written. */
  isStored?: boolean | undefined;
  isReadOnly?: boolean | undefined;
  onChange: (value: string | boolean) => void;
}

const BOX = 'w-full rounded-md border border-line bg-page px-3 aria-invalid:border-bad-text';

/** A field of a form as its spec says. What is wrong with it is read with it. */
export const SpecField = ({ spec, value, problem, isStored, isReadOnly = false, onChange }: SpecFieldProps) => {
  const id = useId();
  if (isReadOnly) return <Shown spec={spec} value={value} />;
  const common = {
    id,
    required: spec.isRequired === true && isStored !== true,
    'aria-invalid': problem !== undefined || undefined,
    'aria-describedby': problem === undefined && spec.hint === undefined ? undefined : `${id}-note`,
  };
  if (spec.kind === 'check')
    return (
      <div className="min-w-0 self-center">
        <label className="flex min-h-9 items-center gap-2">
          <input
            {...common}
            required={false}
            type="checkbox"
            checked={value === true}
            onChange={({ target }) => onChange(target.checked)}
            className="size-4 shrink-0 accent-(--accent)"
          />
          {spec.label}
        </label>
        <Note id={id} spec={spec} problem={problem} />
      </div>
    );
  const isRemoved = spec.kind === 'secret' && value === REMOVED_SECRET;
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-xs text-quiet">
        {spec.label}
        {spec.isRequired !== true && <span className="sr-only"> (optional)</span>}
      </label>
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          {isRemoved ? (
            <p role="status" className="flex min-h-9 items-center">
              Removed once you save
            </p>
          ) : (
            <Control
              spec={spec}
              text={String(value)}
              isStored={isStored === true}
              common={common}
              onChange={onChange}
            />
          )}
        </div>
        {spec.kind === 'secret' && isStored === true && spec.isRequired !== true && (
          <Button
            look="quiet"
            className="h-9"
            aria-label={`${isRemoved ? 'Keep' : 'Remove'} it: ${spec.label}`}
            onClick={() => onChange(isRemoved ? '' : REMOVED_SECRET)}
          >
            {isRemoved ? 'Keep it' : 'Remove'}
          </Button>
        )}
      </div>
      <Note id={id} spec={spec} problem={problem} />
    </div>
  );
};

const Note = ({ id, spec, problem }: { id: string; spec: FieldSpec; problem: string | undefined }) =>
  problem === undefined && spec.hint === undefined ? null : (
    <p
      id={`${id}-note`}
      className={`mt-1 text-xs break-words ${problem === undefined ? 'text-quiet' : 'text-bad-text'}`}
    >
      {problem ?? spec.hint}
    </p>
  );

interface ControlProps {
  spec: FieldSpec;
  text: string;
  isStored: boolean;
  common: {
    id: string;
    required: boolean;
    'aria-invalid': boolean | undefined;
    'aria-describedby': string | undefined;
  };
  onChange: (value: string) => void;
}

const Control = ({ spec, text, isStored, common, onChange }: ControlProps): ReactNode => {
  const input = {
    ...common,
    value: text,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  switch (spec.kind) {
    case 'choice':
      return (
        <select {...input} className={`${BOX} h-9`}>
          {spec.options.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      );
    case 'number':
      return (
        <input
          {...input}
          type="number"
          min={spec.min}
          max={spec.max}
          step={spec.step ?? '1'}
          className={`${BOX} h-9`}
        />
      );
    case 'secret': {
      const note = isStored ? 'Stored. Leave empty to keep it' : '';
      return spec.isLong === true ? (
        <textarea
          {...input}
          rows={3}
          placeholder={note}
          spellCheck={false}
          className={`${BOX} py-1.5 font-mono text-xs placeholder:text-quiet`}
        />
      ) : (
        <input
          {...input}
          type="password"
          placeholder={note}
          autoComplete="new-password"
          className={`${BOX} h-9 placeholder:text-quiet`}
        />
      );
    }
    case 'long':
    case 'lines':
      return (
        <textarea
          {...input}
          rows={spec.rows ?? 3}
          maxLength={spec.kind === 'long' ? spec.maxLength : undefined}
          className={`${BOX} py-1.5`}
        />
      );
    case 'text':
      return (
        <input
          {...input}
          type={spec.type ?? 'text'}
          maxLength={spec.maxLength ?? 255}
          placeholder={spec.placeholder}
          autoComplete="off"
          className={`${BOX} h-9 placeholder:text-quiet ${spec.type === 'color' ? 'px-1' : ''}`}
        />
      );
    default:
      return null;
  }
};

const Shown = ({ spec, value }: { spec: FieldSpec; value: string | boolean }) => (
  <div className="min-w-0">
    <p className="text-xs text-quiet">{spec.label}</p>
    <p className="break-words whitespace-pre-wrap">{shownOf(spec, value)}</p>
  </div>
);

function shownOf(spec: FieldSpec, value: string | boolean): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (spec.kind === 'choice') return spec.options.find(([option]) => option === value)?.[1] ?? value;
  return value === '' ? '–' : value;
}
