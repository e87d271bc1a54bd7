import type { MutationState, UseMutationResult } from '@tanstack/react-query';
import { createContext, useContext, useEffect } from 'react';

/** What a form asks for. */
export type FormRequest = Pick<UseMutationResult, 'error' | 'isPending' | 'status' | 'submittedAt'>;

export type Sent = Pick<MutationState, 'status' | 'submittedAt'>;

export const IDLE: Sent = { status: 'idle', submittedAt: 0 };

/** How the dialog around a form hears what its request came to. */
export const HeardByDialog = createContext<(sent: Sent) => void>(() => undefined);

/** Tells the dialog around a form, if there is one, what its request came to. */
export function useFormRequest({ status, submittedAt }: FormRequest): void {
  const hear = useContext(HeardByDialog);
  useEffect(() => hear({ status, submittedAt }), [hear, status, submittedAt]);
  useEffect(() => () => hear(IDLE), [hear]); // a form that goes waits for nothing
}
