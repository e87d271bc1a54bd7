import { type RefCallback, useCallback } from 'react';

const CONTROLS = ':is(a[href], button, input, select, textarea, summary):not(:disabled)';

/**
 * Returns a ref for a part of a page whose rows and controls come and go. Where the control with the focus goes, the one
 * in its place gets the focus, or the part itself if no control is left, as WCAG 2.4.3 asks.
 */
export function useKeptFocus(): RefCallback<HTMLElement> {
  return useCallback((part: HTMLElement | null) => (part === null ? undefined : keepFocus(part)), []);
}

function keepFocus(part: HTMLElement): () => void {
  let last: { control: HTMLElement; at: number } | undefined;
  const ending = new AbortController();
  const controls = () => [...part.querySelectorAll<HTMLElement>(CONTROLS)].filter((one) => one.checkVisibility());
  const isOwn = (target: EventTarget | null): target is HTMLElement =>
    target instanceof HTMLElement && target.closest('dialog') === part.closest('dialog');
  const onFocus = ({ target }: FocusEvent) => {
    last = isOwn(target) ? { control: target, at: controls().indexOf(target) } : undefined;
  };
  // Some browsers tell so of a control that goes, too.
  const onBlur = () =>
    setTimeout(() => {
      if (last?.control.isConnected === true && document.activeElement !== last.control) last = undefined;
    });
  const onChange = () => {
    if (last === undefined || last.at < 0) return;
    const all = controls();
    if (last.control.isConnected) last.at = all.indexOf(last.control);
    else if (document.activeElement === document.body) {
      (all[Math.min(last.at, all.length - 1)] ?? part).focus({ preventScroll: true }); // a long list lets rows go as it is scrolled
    }
  };
  const observer = new MutationObserver(onChange);
  observer.observe(part, { childList: true, subtree: true });
  part.addEventListener('focusin', onFocus, ending);
  part.addEventListener('focusout', onBlur, ending);
  return () => {
    observer.disconnect();
    ending.abort();
  };
}
