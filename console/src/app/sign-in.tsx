import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../api/client';
import { Button } from '../ui/parts';

const LINK_HINT = 'Open the sign-in link that you were given. Each works once. You are brought back here.';
const DESTINATION = 'switchboard-destination';
const CHECK_MS = 3_000;

/** What somebody sees who is not signed in. The page they asked for opens after the sign-in. */
export const SignInPage = () => {
  const client = useQueryClient();
  useEffect(() => localStorage.setItem(DESTINATION, window.location.pathname + window.location.search), []);
  useSignInElsewhere(() => void client.invalidateQueries());
  return (
    <main className="grid h-full place-items-center p-6">
      <div className="w-full max-w-96 rounded-lg border border-line bg-surface p-8">
        <h1 className="text-xl font-semibold">Sign in to Switchboard</h1>
        <p className="mt-2 text-quiet">{LINK_HINT}</p>
        <p className="mt-4 text-quiet">Without a link, ask an admin of your team for one.</p>
      </div>
    </main>
  );
};

/** Returns, once, the page that was asked for before the sign-in. */
export function takeDestination(): string | undefined {
  const destination = localStorage.getItem(DESTINATION);
  localStorage.removeItem(DESTINATION);
  return destination?.startsWith('/console/s/') ? destination.slice('/console'.length) : undefined;
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

/** Over the page, which keeps what was typed. */
export const SignedOutDialog = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="signed-out"
      onCancel={(event) => event.preventDefault()}
      className="w-96 max-w-full rounded-lg border border-line bg-surface p-6"
    >
      <h2 id="signed-out" className="text-lg font-semibold">
        You are signed out
      </h2>
      <p className="my-2 text-quiet">{LINK_HINT} What you typed stays here.</p>
      <Button look="main" onClick={() => window.location.reload()}>
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
