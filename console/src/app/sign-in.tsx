import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client';
import { useModal } from '../ui/dialog';
import { Button } from '../ui/parts';
import { Mark } from './frame/mark';

const DESTINATION = 'switchboard-destination';
const CHECK_MS = 3_000;

/** What somebody sees who is not signed in. The page they asked for opens after the sign-in. */
export const SignInPage = () => {
  const client = useQueryClient();
  useEffect(() => localStorage.setItem(DESTINATION, window.location.pathname + window.location.search), []);
  useSignInElsewhere(() => void client.invalidateQueries());
  return (
    <main className="grid h-full place-items-center p-6">
      <div className="w-full max-w-96">
        <Mark className="mx-auto mb-5 size-10" />
        <div className="rounded-xl border border-line bg-surface p-8 shadow-sm">
          <h1 className="text-xl font-semibold">Sign in to Switchboard</h1>
          <p className="mt-2 mb-5 text-quiet">
            Open the login link that you were given, or have one sent to you. Each works once, and brings you back here.
          </p>
          <LoginMailForm />
        </div>
      </div>
    </main>
  );
};

/** Returns, once, the page that was asked for before the sign-in. */
export function takeDestination(): string | undefined {
  const destination = localStorage.getItem(DESTINATION);
  localStorage.removeItem(DESTINATION);
  return destination?.startsWith('/console/') ? destination.slice('/console'.length) : undefined;
}

/** Returns whether the sign-in has ended while the page was open. */
export function useSignedOut(): boolean {
  const [isSignedOut, setSignedOut] = useState(false);
  const client = useQueryClient();
  useEffect(() => {
    const onEnd = () => setSignedOut(true);
    window.addEventListener('signed-out', onEnd);
    return () => window.removeEventListener('signed-out', onEnd);
  }, []);
  useSignInElsewhere(() => {
    if (!isSignedOut) return;
    setSignedOut(false);
    void client.invalidateQueries();
  }, isSignedOut);
  return isSignedOut;
}

/** Sends a login link that leads back to this page. */
const LoginMailForm = () => {
  const next = window.location.pathname + window.location.search;
  const mail = useMutation({
    mutationFn: (email: string) => dataOf(api.POST('/login', { body: { email, next } })),
  });
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    mail.mutate(String(new FormData(event.currentTarget).get('email')));
  };
  if (mail.isSuccess)
    return (
      <p role="status" className="rounded-md bg-good p-3 text-good-text">
        If {mail.variables} belongs to a member, a link is on its way. It works once, within 15 minutes.
      </p>
    );
  return (
    <form onSubmit={onSubmit} className="space-y-3">
      <label className="block">
        <span className="mb-1 block font-medium">E-mail address</span>
        <input
          type="email"
          name="email"
          required
          maxLength={254}
          autoComplete="username"
          className="h-9 w-full rounded-md border border-line bg-page px-3"
        />
      </label>
      {mail.error !== null && (
        <p role="alert" className="rounded-md bg-bad p-3 text-bad-text">
          {mail.error.message}
        </p>
      )}
      <Button type="submit" look="main" className="h-9 w-full justify-center" disabled={mail.isPending}>
        {mail.isPending ? 'Sending' : 'Send me a login link'}
      </Button>
    </form>
  );
};

/** Over the page, which keeps what was typed. */
export const SignedOutDialog = () => {
  const dialog = useModal();
  return (
    <dialog
      ref={dialog}
      aria-labelledby="signed-out"
      onCancel={(event) => event.preventDefault()}
      className="m-auto w-96 max-w-[calc(100vw-1.5rem)] rounded-xl border border-line bg-surface p-6 shadow-2xl"
    >
      <h2 id="signed-out" className="text-lg font-semibold">
        You are signed out
      </h2>
      <p className="mt-2 mb-4 text-quiet">
        What you typed stays here. Sign in by a link in another tab of this browser, and continue.
      </p>
      <LoginMailForm />
      <Button look="quiet" className="mt-2 h-9 w-full justify-center" onClick={() => window.location.reload()}>
        Leave this page
      </Button>
    </dialog>
  );
};

/** Calls back once another tab of the browser has signed in. */
function useSignInElsewhere(onSignedIn: () => void, isActive = true): void {
  const callback = useRef(onSignedIn);
  callback.current = onSignedIn;
  useEffect(() => {
    if (!isActive) return;
    const check = async () => {
      if (document.visibilityState === 'hidden') return;
      const { response } = await api.GET('/me');
      if (response.ok) callback.current();
    };
    const timer = setInterval(() => void check().catch(() => {}), CHECK_MS); // a later one may reach the server
    return () => clearInterval(timer);
  }, [isActive]);
}
