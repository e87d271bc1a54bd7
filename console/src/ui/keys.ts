import { useEffect, useRef } from 'react';

/** Calls what a key is for, outside of fields. Shift is part of the name: `Shift+t`. */
export function useKeys(actions: Record<string, () => void>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isInField(event.target) || isSomethingOpen()) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const action = current.current[event.shiftKey && /^[a-z]$/.test(key) ? `Shift+${key}` : key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Returns whether keys are text where they are pressed. */
export const isInField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;

/** Returns whether a dialog or a menu is over the page: keys are for it, also before it has the focus. */
const isSomethingOpen = (): boolean => document.querySelector('dialog[open], :popover-open') !== null;
