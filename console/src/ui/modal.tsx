import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from './parts';

interface ModalProps {
  title: string;
  onClose: () => void;
  className?: string;
  children: ReactNode;
}

/** A dialog over the page. Escape closes it, and the focus returns to where it was. */
export const Modal = ({ title, onClose, className = 'w-96', children }: ModalProps) => {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      className={`max-w-[calc(100vw-1rem)] rounded-lg border border-line bg-surface p-5 text-left text-sm text-text ${className}`}
    >
      <h2 id={id} className="mb-2 text-lg font-semibold">
        {title}
      </h2>
      {children}
    </dialog>
  );
};

interface AskProps extends Omit<ModalProps, 'className' | 'children'> {
  text: string;
  field: string;
  action: string;
  onAnswer: (text: string) => void;
}

/** Asks for a text that may stay empty before something is done. */
export const AskDialog = ({ text, field, action, onAnswer, ...modal }: AskProps) => (
  <Modal {...modal}>
    <form
      method="dialog"
      onSubmit={({ currentTarget }) => onAnswer(String(new FormData(currentTarget).get('text')).trim())}
    >
      <p className="mb-3 text-quiet">{text}</p>
      <label className="block">
        <span className="text-xs text-quiet">{field}</span>
        <textarea
          name="text"
          rows={2}
          maxLength={500}
          className="mt-1 block w-full rounded-md border border-line bg-page p-2"
        />
      </label>
      <div className="mt-4 flex justify-end gap-2">
        <Button look="quiet" onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}>
          Cancel
        </Button>
        <Button type="submit" look="main">
          {action}
        </Button>
      </div>
    </form>
  </Modal>
);
