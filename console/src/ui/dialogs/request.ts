import type { MutationState, UseMutationResult } from '@tanstack/react-query';
import { createContext, type RefCallback, useCallback, useContext, useEffect, useRef } from 'react';

/** What a form asks for. */
export type FormRequest = Pick<UseMutationResult, 'error' | 'isPending' | 'status' | 'submittedAt'>;

export type Sent = Pick<MutationState, 'status' | 'submittedAt'>;

const IDLE: Sent = { status: 'idle', submittedAt: 0 };

/** How the dialog around a form hears what its request came to. */
export const HeardByDialog = createContext<(form: HTMLFormElement, sent: Sent) => void>(() => undefined);

/** Tells the dialog around a form, if there is one, what its request came to. Returns a ref for the form, or a part of it. */
export function useFormRequest({ status, submittedAt }: FormRequest): RefCallback<Element> {
  const hear = useContext(HeardByDialog);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (form.current !== null) hear(form.current, { status, submittedAt });
  }, [hear, status, submittedAt]);
  useEffect(() => {
    const shown = form.current;
    return () => {
      if (shown !== null) hear(shown, IDLE); // a form that goes waits for nothing
    };
  }, [hear]);
  return useCallback((part: Element | null) => {
    if (part !== null) form.current = part.closest('form');
  }, []);
}
