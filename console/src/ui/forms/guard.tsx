import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '../dialogs/confirm-dialog';

/** Asks before a page with unsaved changes is left, in the console or by the browser. */
export const UnsavedGuard = ({ isChanged }: { isChanged: boolean }) => {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isChanged,
    enableBeforeUnload: () => isChanged,
    disabled: !isChanged,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <ConfirmDialog title="Leave without saving?" action="Leave this page" onConfirm={proceed} onClose={reset}>
      What you changed here is not saved.
    </ConfirmDialog>
  );
};
