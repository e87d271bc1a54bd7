import { useState } from 'react';
import type { Run, RunStep } from '../../../api/runs';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD, Field } from '../../../ui/forms/fields';
import { JsonField, objectIn, writtenJson } from '../../../ui/json/json-field';
import { useRunChanges } from './changes';

interface DialogProps {
  run: Run;
  step: RunStep;
  onClose: () => void;
}

/** Retries a failed step, with another input if it was changed. The server checks it by the schema of the action. */
export const RetryDialog = ({ run, step, onClose }: DialogProps) => {
  const { retry } = useRunChanges(run);
  const given = writtenJson(step.input);
  const [text, setText] = useState(given);
  const [reason, setReason] = useState('');
  const parsed = objectIn(text);
  const isChanged = text !== given;
  const send = () => {
    if (isChanged && 'problem' in parsed) return;
    const input = isChanged && 'value' in parsed ? { input: parsed.value } : {};
    retry.mutate({ ...input, ...(reason !== '' && { reason }) }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={`Retry ${step.name ?? step.id}`}
      action={isChanged ? 'Retry with this input' : 'Retry'}
      request={retry}
      onSubmit={send}
      onClose={onClose}
      className="w-160"
    >
      <p className="text-quiet">
        The run continues from this step with the outputs of the steps before it. <code>***</code> keeps the credential
        that is there.
      </p>
      <JsonField
        label="Input"
        hint={isChanged ? 'This input replaces the one of the step.' : 'Unchanged: the step is tried as it is.'}
        text={text}
        problem={isChanged && 'problem' in parsed ? parsed.problem : undefined}
        onChange={setText}
      />
      <Field label="Reason, stored with the run (optional)">
        <input value={reason} maxLength={1_000} onChange={({ target }) => setReason(target.value)} className={FIELD} />
      </Field>
    </FormDialog>
  );
};
