import { type Mutation, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { say } from '../../app/undo';
import type { Sent } from './request';

/**
 * Keeps the texts in the forms of a dialog, and their requests, each by itself. `onStored` is called once nothing is left
 * to lose. A refusal after its form has gone is said at the bottom.
 */
export function useWrittenForms(onStored: () => void) {
  const client = useQueryClient();
  const written = useRef(new Map<HTMLFormElement, number>());
  const unanswered = useRef(new Map<HTMLFormElement, number>());
  const [isPending, setPending] = useState(false);
  const isWritten = useCallback(() => [...written.current.keys()].some((form) => form.isConnected), []);
  const hear = useCallback(
    (form: HTMLFormElement, { status, submittedAt }: Sent) => {
      const sentAt = unanswered.current.get(form);
      unanswered.current.delete(form);
      if (status === 'pending') unanswered.current.set(form, submittedAt);
      if (status === 'idle' && sentAt !== undefined) sayRefusal(client, sentAt);
      // What was written while the form was sent is not stored by it.
      if (status === 'success' && (written.current.get(form) ?? 0) <= submittedAt) written.current.delete(form);
      const isWaiting = unanswered.current.size > 0;
      setPending(isWaiting);
      if (status === 'success' && !isWaiting && !isWritten()) onStored();
    },
    [client, onStored, isWritten],
  );
  return { hear, isPending, isWritten, write: (form: HTMLFormElement) => written.current.set(form, Date.now()) };
}

/** Says why a request is refused that its form no longer can. */
function sayRefusal(client: QueryClient, submittedAt: number): void {
  const requests = client.getMutationCache();
  const sayIfSettled = (request: Mutation<unknown, Error, unknown> | undefined): boolean => {
    if (request?.state.submittedAt !== submittedAt || request.state.status === 'pending') return false;
    if (request.state.error !== null) say(request.state.error.message, { isError: true });
    return true;
  };
  if (requests.getAll().some(sayIfSettled)) return; // it settled while its form went
  const stop = requests.subscribe(({ mutation }) => {
    if (sayIfSettled(mutation)) stop();
  });
}
