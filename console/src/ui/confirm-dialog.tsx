import type { ReactNode } from 'react';
import { Dialog } from './dialog';
import { Button } from './parts';

interface ConfirmProps {
  title: string;
  action: string;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Asks before something is done that cannot be taken back. */
export const ConfirmDialog = ({ title, action, onConfirm, onClose, children }: ConfirmProps) => (
  <Dialog title={title} onClose={onClose}>
    <form method="dialog" onSubmit={onConfirm}>
      <div className="text-quiet">{children}</div>
      <div className="mt-4 flex justify-end gap-2">
        <Button look="quiet" onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}>
          Cancel
        </Button>
        <Button type="submit" look="main">
          {action}
        </Button>
      </div>
    </form>
  </Dialog>
);
