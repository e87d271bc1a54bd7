import { type RefCallback, useCallback } from 'react';

const CONTROLS = ':is(a[href], button, input, select, textarea, summary):not(:disabled)';
const LISTS = 'ul, ol, fieldset';

/**
 * Returns a ref for a part of a page with rows and controls that come and go. If the control with the focus goes, the one
 * in its place gets the focus, of its list if one is left there, as WCAG 2.4.3 asks.
 */
export function useKeptFocus(): RefCallback<HTMLElement> {
  return useCallback((part: HTMLElement | null) => (part === null ? undefined : keepFocus(part)), []);
}

interface Place {
  within: HTMLElement;
  at: number;
}

const controlsIn = (within: HTMLElement) =>
  [...within.querySelectorAll<HTMLElement>(CONTROLS)].filter((control) => control.checkVisibility());

function keepFocus(part: HTMLElement): () => void {
  let last: { control: HTMLElement; places: Place[] } | undefined;
  const note = (control: HTMLElement) => {
    const list = control.closest<HTMLElement>(LISTS);
    const within = list !== null && part.contains(list) ? [list, part] : [part];
    const places = within.map((one) => ({ within: one, at: controlsIn(one).indexOf(control) }));
    // One that is disabled while it acts keeps the place that it had.
    if (control !== last?.control || places.every(({ at }) => at !== -1)) last = { control, places };
  };
  const onFocus = ({ target }: FocusEvent) => {
    // A dialog that has opened over the part returns the focus by itself.
    if (target instanceof HTMLElement && target.closest('dialog') === part.closest('dialog')) note(target);
    else last = undefined;
  };
  // Some browsers say so of a control that goes, too.
  const onBlur = () =>
    setTimeout(() => {
      if (last?.control.isConnected === true && document.activeElement !== last.control) last = undefined;
    });
  const onChange = () => {
    if (last === undefined) return;
    if (last.control.isConnected) return note(last.control);
    if (document.activeElement !== document.body) return;
    const [next = part] = last.places.flatMap(({ within, at }) =>
      controlsIn(within)
        .slice(0, at + 1)
        .slice(-1),
    );
    next.focus({ preventScroll: true }); // a long list lets rows go as it is scrolled
  };
  const ending = new AbortController();
  const observer = new MutationObserver(onChange);
  observer.observe(part, { childList: true, subtree: true });
  part.addEventListener('focusin', onFocus, ending);
  part.addEventListener('focusout', onBlur, ending);
  return () => {
    observer.disconnect();
    ending.abort();
  };
}
