import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { DialogAnswers } from './dialog-answers';

interface DialogProps {
  title: string;
  onClose: () => void;
  className?: string;
  children: ReactNode;
}

/**
 * A dialog over the page. Escape, its button and a click beside it close it, and the focus returns. If something was
 * written in its form and not sent, they ask first.
 */
export const Dialog = ({ title, onClose, className = 'w-96', children }: DialogProps) => {
  const dialog = useModal();
  const id = useId();
  const form = useRef<'written' | 'sent'>(undefined);
  const pressed = useRef<EventTarget>(undefined);
  const [isAsking, ask] = useState(false);
  const close = () => {
    const isRefused = form.current === 'sent' && dialog.current?.querySelector('[role=alert]') !== null;
    if (form.current === 'written' || isRefused) ask(true);
    else dialog.current?.close();
  };
  return (
    <>
      <dialog
        ref={dialog}
        onClose={onClose}
        onCancel={(event) => {
          event.preventDefault();
          close();
        }}
        onKeyDown={(event) => {
          // A browser asks a page only once whether Escape may close a dialog.
          const isElsewhere =
            !isIn(event.target, dialog.current) || dialog.current?.querySelector(':popover-open') != null;
          if (event.key !== 'Escape' || event.defaultPrevented || isElsewhere) return;
          event.preventDefault();
          close();
        }}
        onPointerDown={({ target }) => {
          pressed.current = target;
        }}
        // A press that began in the dialog, such as one that selects a text, closes nothing where it ends.
        onClick={({ target }) => target === dialog.current && pressed.current === target && close()}
        onInput={({ target }) => {
          if (isWriting(target, dialog.current)) form.current = 'written';
        }}
        onSubmit={({ target }) => {
          if (isIn(target, dialog.current)) form.current = 'sent';
        }}
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
              onClick={close}
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
      {isAsking && (
        <Dialog
          title="Close without saving?"
          onClose={() => {
            ask(false);
            if (form.current === undefined) dialog.current?.close();
          }}
        >
          <form
            method="dialog"
            onSubmit={() => {
              form.current = undefined;
            }}
          >
            <p className="text-quiet">What you wrote here is lost.</p>
            <DialogAnswers action="Close it" />
          </form>
        </Dialog>
      )}
    </>
  );
};

/** React tells a dialog of what happens in dialogs that it has opened, too. */
const isIn = (target: EventTarget, dialog: HTMLElement | null): target is HTMLElement =>
  target instanceof HTMLElement && target.closest('dialog') === dialog;

/** A choice is soon made again: it is not worth a question. */
const isWriting = (target: EventTarget, dialog: HTMLElement | null): boolean =>
  isIn(target, dialog) && target.closest('form') !== null && !(target instanceof HTMLSelectElement);

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
