import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '../dialogs/confirm-dialog';

interface GuardProps {
  isChanged: boolean;
  /** Whether other parts of the same page keep the changes. */
  isKeptOnPage?: boolean;
}

/** Asks before a page with unsaved changes is left, in the console or by the browser. */
export const UnsavedGuard = ({ isChanged, isKeptOnPage = false }: GuardProps) => {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && !(isKeptOnPage && current.pathname === next.pathname),
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
