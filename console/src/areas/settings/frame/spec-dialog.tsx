import type { ReactNode, SubmitEvent } from 'react';
import { Dialog } from '../../../ui/dialogs/dialog';
import { FormEnd } from '../../../ui/form-end';
import { problemsOf, restOf } from '../../../ui/forms/problems';
import { type Specs, type Written, writtenOf } from '../../../ui/forms/spec';
import { SpecFields } from '../../../ui/forms/spec-form';
import { useForm } from '../../../ui/forms/use-form';

interface SpecDialogProps {
  title: string;
  action: string;
  specs: Specs;
  /** What the fields show at first. */
  stored: object;
  save: { error: Error | null; isPending: boolean };
  /** Gets all values, and what of them was changed. */
  onSave: (values: Written, changes: Written) => void;
  onClose: () => void;
  className?: string;
  children?: ReactNode;
}

/** A form in a dialog. */
export const SpecDialog = ({
  title,
  action,
  specs,
  stored,
  save,
  onSave,
  onClose,
  className = 'w-[34rem]',
  children,
}: SpecDialogProps) => {
  const form = useForm(writtenOf(specs, stored));
  const rest = restOf(save.error, Object.keys(specs));
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSave(form.values, form.changes);
  };
  return (
    <Dialog title={title} onClose={onClose} className={className}>
      <form onSubmit={onSubmit} className="grid gap-4">
        <div className="grid gap-4 min-[700px]:grid-cols-2">
          <SpecFields specs={specs} form={form} error={save.error} stored={stored} />
        </div>
        {children}
        {rest === undefined && problemsOf(save.error).length > 0 && (
          <p role="alert" className="text-bad-text">
            Something above was refused.
          </p>
        )}
        <FormEnd request={{ error: rest === undefined ? null : new Error(rest), isPending: save.isPending }}>
          {action}
        </FormEnd>
      </form>
    </Dialog>
  );
};
