import { X } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react';
import { useKeptFocus } from '../kept-focus';
import { DialogAnswers } from './dialog-answers';
import { HeardByDialog } from './request';
import { useWrittenForms } from './written-forms';

interface DialogProps {
  title: string;
  onClose: () => void;
  className?: string;
  children: ReactNode;
}

/**
 * A dialog over the page. Escape, its button and a click beside it close it, and the focus returns. If something was
 * written in a form of it and is not stored, or the server has not answered yet, they ask first.
 */
export const Dialog = ({ title, onClose, className = 'w-96', children }: DialogProps) => {
  const dialog = useModal();
  const id = useId();
  const isLeft = useRef(false);
  const pressed = useRef<EventTarget>(undefined);
  const [isAsking, ask] = useState(false);
  const { hear, isPending, isWritten, write } = useWrittenForms(useCallback(() => ask(false), []));
  const close = () => {
    if (isWritten() || isPending) ask(true);
    else dialog.current?.close();
  };
  const onAnswered = () => {
    ask(false);
    if (isLeft.current) dialog.current?.close();
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
          const form = writtenForm(target, dialog.current);
          if (form !== null) write(form);
        }}
        aria-labelledby={id}
        className={`m-auto max-h-[calc(100dvh-2rem)] max-w-[calc(100vw-1.5rem)] overflow-hidden rounded-xl border border-line bg-surface p-0 text-left text-sm text-text shadow-2xl ${className}`}
      >
        <div className="flex max-h-[inherit] flex-col">
          <header className="flex items-center justify-between border-b border-line py-2 pr-2 pl-5">
            <h2 id={id} className="min-w-0 text-base font-semibold break-words">
              {title}
            </h2>
            <button
              type="button"
              aria-label="Close"
              onClick={close}
              className="grid size-8 shrink-0 place-items-center rounded-md text-quiet hover:bg-hover hover:text-text"
            >
              <X size={16} aria-hidden="true" />
            </button>
          </header>
          <DialogBody>
            <HeardByDialog value={hear}>{children}</HeardByDialog>
          </DialogBody>
        </div>
      </dialog>
      {isAsking && (
        <Dialog title={isPending ? 'Close before the answer?' : 'Close without saving?'} onClose={onAnswered}>
          <form
            method="dialog"
            onSubmit={() => {
              isLeft.current = true;
            }}
          >
            <p className="text-quiet">
              {isPending
                ? 'It is still being sent, and its answer is not shown then. If it is refused, what you wrote is lost.'
                : 'What you wrote here is lost.'}
            </p>
            <DialogAnswers action="Close it" />
          </form>
        </Dialog>
      )}
    </>
  );
};

const DialogBody = ({ children }: { children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
  <div ref={useKeptFocus()} tabIndex={0} className="overflow-y-auto p-5">
    {children}
  </div>
);

/** React also tells a dialog of events in dialogs opened by it. */
const isIn = (target: EventTarget, dialog: HTMLElement | null): target is HTMLElement =>
  target instanceof HTMLElement && target.closest('dialog') === dialog;

/** A choice is soon made again, and a search too: they are not worth a question. */
const writtenForm = (target: EventTarget, dialog: HTMLElement | null): HTMLFormElement | null =>
  isIn(target, dialog) && !target.matches('select, [type=search]') ? target.closest('form') : null;

/** Shows a dialog as modal as long as it is rendered. Its first field gets the focus, which returns in the end. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    if (dialog.current?.open === false) {
      dialog.current.showModal();
      dialog.current.querySelector<HTMLElement>('form :is(input, textarea, select)')?.focus();
    }
    return () => {
      // A browser returns the focus only from a dialog that is closed before it goes.
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return dialog;
}
