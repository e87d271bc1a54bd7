import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';

export interface MenuItem {
  label: ReactNode;
  hint?: string | undefined;
  onSelect: () => void;
}

/** What can be done, one below the other. Arrows move between the items, and the first one has the focus. */
export const Menu = ({ items, label, close }: { items: MenuItem[]; label: string; close: () => void }) => {
  const menu = useRef<HTMLDivElement>(null);
  const buttons = () => [...(menu.current?.querySelectorAll<HTMLButtonElement>('[role=menuitem]') ?? [])];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is given once
  useEffect(() => buttons()[0]?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = buttons();
    const at = all.findIndex((button) => button.matches(':focus'));
    all.at((at + step) % all.length)?.focus();
  };
  return (
    <div ref={menu} role="menu" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}>
      {items.map(({ label: text, hint, onSelect }, n) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: items of a menu keep their places
          key={n}
          type="button"
          role="menuitem"
          className="flex min-h-8 w-full items-center gap-3 rounded-md px-2 py-1 text-left hover:bg-hover focus-visible:bg-hover"
          onClick={() => {
            close();
            onSelect();
          }}
        >
          <span className="flex-1">{text}</span>
          {hint !== undefined && <span className="shrink-0 text-xs text-quiet">{hint}</span>}
        </button>
      ))}
    </div>
  );
};
