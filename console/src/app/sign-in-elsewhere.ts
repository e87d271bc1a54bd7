import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../api/client';

const DESTINATION = 'switchboard-destination';
const CHECK_MS = 3_000;

/** Keeps the address of this page until somebody has signed in. */
export const keepDestination = (): void =>
  localStorage.setItem(DESTINATION, window.location.pathname + window.location.search);

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
    window.dispatchEvent(new Event('signed-in'));
    void client.invalidateQueries();
  }, isSignedOut);
  return isSignedOut;
}

/** Calls back once another tab of the browser has signed in. */
export function useSignInElsewhere(onSignedIn: () => void, isActive = true): void {
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
