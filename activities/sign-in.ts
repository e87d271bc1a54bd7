import type { LoginMailRequest } from '../src/sign-in/contract.ts';
import { type LoginMailDeps, sendLoginMail } from '../src/sign-in/mail.service.ts';

export interface SignInActivityDeps {
  loginMails: LoginMailDeps;
}

export type SignInActivities = ReturnType<typeof createSignInActivities>;

export const createSignInActivities = ({ loginMails }: SignInActivityDeps) => ({
  /** Sends a login link to a member. Repeated, it sends another link. */
  sendLoginMail: (request: LoginMailRequest) => sendLoginMail(loginMails, request),
});
