import { useState } from 'react';
import { api, dataOf } from '../../../api/client';
import type { Insight } from '../../../api/insights';
import { say } from '../../../app/undo';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { Field } from '../../../ui/forms/fields';
import { Button } from '../../../ui/parts';
import { useChange } from '../use-change';

/** The states that an insight can be brought into from the one it has. */
export const Actions = ({ insight: { id, status } }: { insight: Insight }) => {
  const [isArchiving, askForReason] = useState(false);
  const params = { path: { id } };
  const reopen = useChange({
    isQuick: true,
    run: () => dataOf(api.POST('/insights/{id}/reopen', { params })),
    onDone: () => say('It is unresolved again'),
  });
  const resolve = useChange({
    isQuick: true,
    run: () => dataOf(api.POST('/insights/{id}/resolve', { params })),
    onDone: () => say('Resolved', { undo: () => reopen.mutate() }),
  });
  return (
    <div className="flex flex-wrap gap-2">
      {status === 'unresolved' && (
        <Button look="main" disabled={resolve.isPending} onClick={() => resolve.mutate()}>
          Resolve
        </Button>
      )}
      {status !== 'archived' && <Button onClick={() => askForReason(true)}>Archive</Button>}
      {status !== 'unresolved' && (
        <Button disabled={reopen.isPending} onClick={() => reopen.mutate()}>
          Reopen
        </Button>
      )}
      {isArchiving && <ArchiveDialog id={id} onClose={() => askForReason(false)} />}
    </div>
  );
};

const ArchiveDialog = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const archive = useChange({
    run: (reason: string) => dataOf(api.POST('/insights/{id}/archive', { params: { path: { id } }, body: { reason } })),
    onDone: () => say('Archived'),
  });
  return (
    <FormDialog
      title="Archive the insight"
      action="Archive"
      request={archive}
      onSubmit={(values) => archive.mutate(String(values.get('reason')).trim(), { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className="text-quiet">It still counts what customers say, and nothing of it reopens it.</p>
      <Field label="Why">
        <textarea
          name="reason"
          rows={3}
          required
          maxLength={1_000}
          className="block w-full rounded-md border border-line bg-page p-2"
        />
      </Field>
    </FormDialog>
  );
};
