import type { ReactNode, SubmitEvent } from 'react';
import { problemAt, problemsOf, restOf } from './problems';
import { SaveBar } from './save-bar';
import { type Specs, STORED_SECRET, valueAt, type Written, writtenOf } from './spec';
import { SpecField } from './spec-field';
import { type Form, useForm } from './use-form';

export interface SpecFieldsProps {
  specs: Specs;
  form: Form;
  error: Error | null;
  /** Where the values are in the body: settings. */
  under?: string | undefined;
  /** What the API shows of the values, with its secrets as ***. */
  stored?: object;
  isReadOnly?: boolean | undefined;
}

/** The fields of a form, each with what the API says of it. */
export const SpecFields = ({ specs, form, error, under, stored = {}, isReadOnly }: SpecFieldsProps) => {
  const problems = problemsOf(error);
  return Object.entries(specs).map(([name, spec]) => (
    <div key={name} className={spec.kind === 'long' || spec.kind === 'lines' ? 'min-[700px]:col-span-2' : 'min-w-0'}>
      <SpecField
        spec={spec}
        value={form.values[name] ?? ''}
        problem={problemAt(problems, under === undefined ? name : `${under}.${name}`)}
        isStored={valueAt(stored, name) === STORED_SECRET}
        isReadOnly={isReadOnly}
        onChange={(value) => form.change(name, value)}
      />
    </div>
  ));
};

interface SpecFormProps extends Omit<SpecFieldsProps, 'form' | 'error'> {
  /** The values that are stored. */
  stored: object;
  /** The form where its page needs it too. */
  form?: Form;
  save: { error: Error | null; isPending: boolean; reset: () => void };
  /** Saves what was changed, of all values, and calls back when it is stored. */
  onSave: (changes: Written, done: () => void, values: Written) => void;
  /** Whether it can be saved as it is, as if something was changed. */
  isNew?: boolean;
  /** Whether something was changed that `children` show. */
  isChangedBeside?: boolean;
  onDiscard?: () => void;
  action?: string | undefined;
  children?: ReactNode;
}

/** A form on a page whose fields are those of `specs`. */
export const SpecForm = ({
  specs,
  stored,
  form: shared,
  save,
  onSave,
  under,
  isReadOnly,
  isNew = false,
  isChangedBeside = false,
  onDiscard,
  action,
  children,
}: SpecFormProps) => {
  const own = useForm(writtenOf(specs, stored));
  const form = shared ?? own;
  const names = Object.keys(specs).map((name) => (under === undefined ? name : `${under}.${name}`));
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { values, changes } = form;
    onSave(changes, () => form.settle(values), values);
  };
  return (
    <form onSubmit={onSubmit} className="grid gap-3">
      <div className="grid gap-4 min-[700px]:grid-cols-2">
        <SpecFields
          specs={specs}
          form={form}
          stored={stored}
          error={save.error}
          under={under}
          isReadOnly={isReadOnly}
        />
      </div>
      {children}
      {isReadOnly !== true && (
        <SaveBar
          isChanged={form.isChanged || isChangedBeside}
          isNew={isNew}
          isSaving={save.isPending}
          problem={restOf(save.error, names)}
          onDiscard={() => {
            form.discard();
            onDiscard?.();
            save.reset();
          }}
          action={action}
        />
      )}
    </form>
  );
};
