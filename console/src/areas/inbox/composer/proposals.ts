import { useEffect, useRef } from 'react';

const PROPOSAL = 'reply-proposed';

/** Puts a text into the reply of the open conversation. The member edits and sends it. */
export const proposeReply = (text: string): boolean =>
  window.dispatchEvent(new CustomEvent(PROPOSAL, { detail: text }));

/** Calls back with each proposed text. */
export function useProposals(onText: (text: string) => void): void {
  const current = useRef(onText);
  current.current = onText;
  useEffect(() => {
    const listener = (event: Event) => event instanceof CustomEvent && current.current(String(event.detail));
    window.addEventListener(PROPOSAL, listener);
    return () => window.removeEventListener(PROPOSAL, listener);
  }, []);
}
