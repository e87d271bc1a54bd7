import { useEffect, useRef } from 'react';

/** Keys that work in text fields too. */
const EVERYWHERE = new Set(['Mod+k']);
const SHIFTED = /^(?:[a-z]|Arrow.+)$/;

/**
 * Calls what a key is for, outside of fields. Shift is part of the name, and so is Ctrl or the command key: `Shift+t`,
 * `Mod+k`.
 */
export function useKeys(actions: Record<string, () => void>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const name = names.get(event) ?? nameOf(event);
      const action = current.current[name];
      if (document.querySelector(':popover-open') !== null) return; // it closes by Escape
      if (event.altKey || action === undefined || (name === 'Enter' && isControl(event.target))) return;
      if (EVERYWHERE.has(name) ? isInDialog(event.target) : isInField(event.target)) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

const PREFIX = 'g';
const PREFIX_MS = 1_500;
let prefixedUntil = 0;
const names = new WeakMap<KeyboardEvent, string>();

/** A key behind `g` has both in its name, such as `g i`. This listener is there before all others, so each sees one name. */
window.addEventListener(
  'keydown',
  (event) => {
    const name = nameOf(event);
    const isPrefixed = Date.now() < prefixedUntil;
    names.set(event, isPrefixed ? `${PREFIX} ${name}` : name);
    prefixedUntil = name === PREFIX && !isPrefixed && !isInField(event.target) ? Date.now() + PREFIX_MS : 0;
  },
  { capture: true },
);

function nameOf({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string {
  const plain = key.length === 1 ? key.toLowerCase() : key;
  return `${ctrlKey || metaKey ? 'Mod+' : ''}${shiftKey && SHIFTED.test(plain) ? 'Shift+' : ''}${plain}`;
}

/** Enter on a link or a button is for that. */
const isControl = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('a, button, input, summary') !== null;

const isInDialog = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('dialog') !== null;

/** Returns whether a pressed key is text of a field. A panel just closed may still have the focus for a moment. */
export const isInField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.checkVisibility() &&
  target.closest('input:not([type=checkbox]), textarea, select, dialog, [popover]') !== null;

/** Does what a key of the open page is for. */
export function pressKey(name: string): void {
  const [key = '', shift] = name.split('+').reverse();
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey: shift === 'Shift', bubbles: true }));
}
