import { type ReactNode, useEffect, useRef, useState } from 'react';

interface PopoverProps {
  id: string;
  label: string;
  children: (close: () => void) => ReactNode;
}

/** What a button of the areas opens beside it. The browser closes it by Escape and by a click elsewhere. */
export const Popover = ({ id, label, children }: PopoverProps) => {
  const box = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const shown = box.current;
    const onToggle = () => setOpen(shown?.matches(':popover-open') ?? false);
    shown?.addEventListener('toggle', onToggle);
    return () => shown?.removeEventListener('toggle', onToggle);
  }, []);
  return (
    <div
      ref={box}
      id={id}
      popover="auto"
      role="dialog"
      aria-label={label}
      className="fixed inset-auto m-0 max-h-[calc(100dvh-5rem)] w-80 max-w-[calc(100vw-1rem)] flex-col overflow-hidden rounded-xl border border-line bg-surface p-0 text-text shadow-2xl open:flex max-[899px]:top-12 max-[899px]:right-2 min-[900px]:bottom-3 min-[900px]:left-16"
    >
      {isOpen && children(() => box.current?.hidePopover())}
    </div>
  );
};
