import { useState } from 'react';
import type { Run, RunStep } from '../../../api/runs';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD, Field } from '../../../ui/forms/fields';
import { useRunChanges } from './changes';
import { RetryInput, useRetryInput } from './retry-input';

interface DialogProps {
  run: Run;
  step: RunStep;
  onClose: () => void;
}

/** Retries a failed step, with another input if it was changed. The server checks it by the schema of the action. */
export const RetryDialog = ({ run, step, onClose }: DialogProps) => {
  const { retry } = useRunChanges(run);
  const written = useRetryInput(step);
  const [reason, setReason] = useState('');
  const { input, isChanged, slip } = written;
  const rest = written.restOf(retry.error);
  const send = () => {
    if (slip === undefined)
      retry.mutate({ ...(isChanged && { input }), ...(reason !== '' && { reason }) }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={`Retry ${step.name ?? step.id}`}
      action={isChanged ? 'Retry with this input' : 'Retry'}
      request={{ ...retry, error: rest === undefined ? null : new Error(rest) }}
      onSubmit={send}
      onClose={onClose}
      className="w-160"
    >
      <p className="text-quiet">
        The run continues from this step with the outputs of the steps before it.{' '}
        {isChanged ? 'This input replaces the one of the step.' : 'Unchanged, the step is tried as it is.'}
        {hasCredential(step.input) && (
          <>
            {' '}
            <code>***</code> keeps the credential that is there.
          </>
        )}
      </p>
      <RetryInput written={written} error={retry.error} />
      <Field label="Reason, stored with the run (optional)">
        <input value={reason} maxLength={1_000} onChange={({ target }) => setReason(target.value)} className={FIELD} />
      </Field>
      {retry.error !== null && rest === undefined && (
        <p role="alert" className="text-bad-text">
          Something above was refused.
        </p>
      )}
    </FormDialog>
  );
};

const hasCredential = (input: unknown): boolean => JSON.stringify(input ?? null).includes('***');
