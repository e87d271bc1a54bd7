import { type ReactNode, type Ref, useId, useRef, useState } from 'react';
import { Button } from './parts';

interface PopoverProps {
  /** The button's name for screen readers. */
  name: string;
  label: ReactNode;
  /** The key that opens it, as the button says it. */
  shortcut?: string;
  look?: 'plain' | 'quiet' | 'main';
  className?: string;
  button?: Ref<HTMLButtonElement>;
  children: (close: () => void) => ReactNode;
}

/** A button with a panel that opens below it, and closes on Escape or a click elsewhere. */
export const Popover = ({ name, label, shortcut, look, className, button, children }: PopoverProps) => {
  const id = useId();
  const panel = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        ref={button}
        popoverTarget={id}
        look={look}
        className={className}
        aria-label={name}
        aria-expanded={isOpen}
        aria-keyshortcuts={shortcut}
        title={shortcut === undefined ? name : `${name} (${shortcut.replace('+', ' ').toUpperCase()})`}
      >
        {label}
      </Button>
      <dialog
        ref={panel}
        id={id}
        popover="auto"
        aria-label={name}
        onToggle={({ newState }) => setOpen(newState === 'open')}
        className="backdrop:bg-transparent inset-auto m-0 my-1 max-h-[min(24rem,80vh)] w-64 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border border-line bg-surface p-1 text-text shadow-lg [position-area:bottom_span-right] [position-try-fallbacks:flip-inline,flip-block,flip-block_flip-inline]"
      >
        {isOpen && children(() => panel.current?.hidePopover())}
      </dialog>
    </>
  );
};
