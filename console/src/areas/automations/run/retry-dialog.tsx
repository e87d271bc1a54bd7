import { useState } from 'react';
import type { RunStep } from '../../../api/runs';
import { Dialog } from '../../../ui/dialogs/dialog';
import { JsonField, objectIn, writtenJson } from '../../../ui/json/json-field';
import { Button } from '../../../ui/parts';
import type { RetryMutation } from './changes';

interface DialogProps {
  step: RunStep;
  retry: RetryMutation;
  onClose: () => void;
}

/** Retries a failed step, with another input if it was changed. The server checks it by the schema of the action. */
export const RetryDialog = ({ step, retry, onClose }: DialogProps) => {
  const given = writtenJson(step.input);
  const [text, setText] = useState(given);
  const [reason, setReason] = useState('');
  const parsed = objectIn(text);
  const isChanged = text !== given;
  const problem = isChanged && 'problem' in parsed ? parsed.problem : retry.error?.message;
  const send = () => {
    if (isChanged && 'problem' in parsed) return;
    const input = isChanged && 'value' in parsed ? { input: parsed.value } : {};
    retry.mutate({ ...input, ...(reason !== '' && { reason }) }, { onSuccess: onClose });
  };
  return (
    <Dialog title={`Retry ${step.name ?? step.id}`} onClose={onClose} className="w-160">
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <p className="text-quiet">
          The run continues from this step with the outputs of the steps before it. <code>***</code> keeps the
          credential that is there.
        </p>
        <JsonField
          label="Input"
          hint={isChanged ? 'This input replaces the one of the step.' : 'Unchanged: the step is tried as it is.'}
          text={text}
          problem={problem}
          onChange={(next) => {
            retry.reset();
            setText(next);
          }}
        />
        <label className="block">
          <span className="text-xs text-quiet">Reason, stored with the run</span>
          <input
            value={reason}
            maxLength={1_000}
            onChange={({ target }) => setReason(target.value)}
            className="mt-1 block h-8 w-full rounded-md border border-line bg-page px-2"
          />
        </label>
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="main" disabled={retry.isPending}>
            {isChanged ? 'Retry with this input' : 'Retry'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
