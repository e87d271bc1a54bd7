import type { ReactNode } from 'react';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import type { FormRequest } from '../../../ui/dialogs/request';
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
  save: FormRequest;
  /** Gets all values, and the changed ones. Without a change the dialog closes. */
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
  return (
    <FormDialog
      title={title}
      action={action}
      request={{ ...save, error: rest === undefined ? null : new Error(rest) }}
      onSubmit={() => (form.isChanged ? onSave(form.values, form.changes) : onClose())}
      onClose={onClose}
      className={className}
    >
      <div className="grid gap-4 min-[700px]:grid-cols-2">
        <SpecFields specs={specs} form={form} error={save.error} stored={stored} />
      </div>
      {children}
      {rest === undefined && problemsOf(save.error).length > 0 && (
        <p role="alert" className="text-bad-text">
          Something above was refused.
        </p>
      )}
    </FormDialog>
  );
};
