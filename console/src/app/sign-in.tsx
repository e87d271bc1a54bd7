import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useEffect } from 'react';
import { api, dataOf } from '../api/client';
import { useModal } from '../ui/dialogs/dialog';
import { FormEnd } from '../ui/forms/form-end';
import { Button } from '../ui/parts';
import { Mark } from './frame/mark';
import { keepDestination, useSignInElsewhere } from './sign-in-elsewhere';

/** The page for somebody not signed in. The page they asked for opens after the sign-in. */
export const SignInPage = () => {
  const client = useQueryClient();
  useEffect(keepDestination, []);
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
      <FormEnd request={mail}>{mail.isPending ? 'Sending' : 'Send me a login link'}</FormEnd>
    </form>
  );
};

/** Over the page, so typed text stays. */
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
