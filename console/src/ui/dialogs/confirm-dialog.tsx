import type { ReactNode } from 'react';
import { Dialog } from './dialog';
import { DialogAnswers } from './dialog-answers';

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
      <DialogAnswers action={action} />
    </form>
  </Dialog>
);
