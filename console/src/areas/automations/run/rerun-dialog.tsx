import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Run, workflowQuery } from '../../../api/runs';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { JsonField, objectIn, writtenJson } from '../../../ui/json/json-field';
import { isSame } from '../../../ui/same';
import { useRunChanges } from './changes';

interface DialogProps {
  run: Run;
  onClose: () => void;
}

/** The fields of every trigger, which stay as they were. */
const COMMON = ['event_id', 'occurred_at', 'trigger_type'];

/** Runs a workflow again with what its trigger told, by the same version or the current one. */
export const RerunDialog = ({ run, onClose }: DialogProps) => {
  const { rerun } = useRunChanges(run);
  const told = Object.entries((run.trigger_output ?? {}) as Record<string, unknown>).filter(
    ([name]) => !COMMON.includes(name),
  );
  const given = writtenJson(Object.fromEntries(told));
  const [text, setText] = useState(given);
  const [version, setVersion] = useState<'same' | 'latest'>('latest');
  const parsed = objectIn(text);
  const problem = 'problem' in parsed ? parsed.problem : undefined;
  const send = () => {
    if ('problem' in parsed) return;
    const input = text === given ? {} : { input: changedIn(parsed.value, Object.fromEntries(told)) };
    rerun.mutate({ version, ...input }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="Run again"
      action="Run again"
      request={{ ...rerun, isPending: rerun.isPending || 'problem' in parsed }}
      onSubmit={send}
      onClose={onClose}
      className="w-160"
    >
      <p className="text-quiet">A new run begins. What this one did to customers and other systems is done again.</p>
      <Versions run={run} version={version} onChoose={setVersion} />
      <details>
        <summary className="w-fit cursor-pointer text-quiet hover:text-text">Change what the trigger told</summary>
        <div className="mt-2">
          <JsonField label="Trigger" text={text} problem={problem} onChange={setText} />
        </div>
      </details>
    </FormDialog>
  );
};

/** Returns the fields that were changed: the others stay as the server has them, with their credentials. */
const changedIn = (value: Record<string, unknown>, before: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([name, field]) => !isSame(field, before[name])));

interface VersionsProps {
  run: Run;
  version: 'same' | 'latest';
  onChoose: (version: 'same' | 'latest') => void;
}

const Versions = ({ run, version, onChoose }: VersionsProps) => {
  const current = useQuery(workflowQuery(run.workflow_id)).data;
  const kind = current?.is_active === false ? 'latest' : 'active';
  return (
    <fieldset className="flex flex-wrap gap-4">
      <legend className="sr-only">Version</legend>
      {(['latest', 'same'] as const).map((value) => (
        <label key={value} className="flex h-8 items-center gap-2">
          <input
            type="radio"
            name="version"
            value={value}
            checked={version === value}
            onChange={() => onChoose(value)}
            className="accent-(--accent)"
          />
          {value === 'same'
            ? `The same version, ${run.version_number}`
            : `The ${kind} version${current === undefined ? '' : `, ${current.version_number}`}`}
        </label>
      ))}
    </fieldset>
  );
};
