import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';

interface DialogProps {
  title: string;
  onClose: () => void;
  className?: string;
  children: ReactNode;
}

/** A dialog over the page. Escape, its button and a click beside it close it, and the focus returns. */
export const Dialog = ({ title, onClose, className = 'w-96', children }: DialogProps) => {
  const dialog = useModal();
  const id = useId();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well
    <dialog
      ref={dialog}
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && dialog.current.close()}
      aria-labelledby={id}
      className={`m-auto max-h-[calc(100dvh-2rem)] max-w-[calc(100vw-1.5rem)] overflow-hidden rounded-xl border border-line bg-surface p-0 text-left text-sm text-text shadow-2xl ${className}`}
    >
      <div className="flex max-h-[inherit] flex-col">
        <header className="flex items-center justify-between border-b border-line py-2 pr-2 pl-5">
          <h2 id={id} className="text-base font-semibold">
            {title}
          </h2>
          <button
            type="button"
            aria-label="Close"
            onClick={() => dialog.current?.close()}
            className="grid size-8 place-items-center rounded-md text-quiet hover:bg-hover hover:text-text"
          >
            <X size={16} aria-hidden="true" />
          </button>
        </header>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus */}
        <div tabIndex={0} className="overflow-y-auto p-5">
          {children}
        </div>
      </div>
    </dialog>
  );
};

/** Shows a dialog as modal as long as it is rendered. Its first field has the focus, if it has one. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (dialog.current?.open !== false) return;
    dialog.current.showModal();
    dialog.current.querySelector<HTMLElement>('form :is(input, textarea, select)')?.focus();
  }, []);
  return dialog;
}
