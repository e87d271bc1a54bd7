import type { QueryKey } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button } from '../../../ui/parts';
import { useChange } from '../frame/use-change';

interface CancelJobProps {
  /** The words of the button, and the job's name: Cancel, the export of contacts. */
  does: string;
  what: string;
  says: string;
  cancel: () => Promise<unknown>;
  stale: QueryKey;
  /** What comes of it. */
  children: ReactNode;
}

/** A button that ends a job, or deletes its file, after a question. */
export const CancelJob = ({ does, what, says, cancel, stale, children }: CancelJobProps) => {
  const [isAsked, ask] = useState(false);
  const { mutate, isPending } = useChange(cancel, { stale: [stale], says, isQuick: true });
  return (
    <>
      <Button look="quiet" aria-label={`${does}: ${what}`} disabled={isPending} onClick={() => ask(true)}>
        {does}
      </Button>
      {isAsked && (
        <ConfirmDialog title={what} action={does} onConfirm={() => mutate(undefined)} onClose={() => ask(false)}>
          {children}
        </ConfirmDialog>
      )}
    </>
  );
};
