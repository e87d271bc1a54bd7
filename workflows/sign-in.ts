import { proxyActivities } from '@temporalio/workflow';
import type { SignInActivities } from '../activities/sign-in.ts';
import type { LoginMailRequest } from '../src/sign-in/contract.ts';
import { SEND_LOGIN_MAIL } from './activity-options.ts';

const { sendLoginMail } = proxyActivities<SignInActivities>({ ...SEND_LOGIN_MAIL, summary: 'send the login link' });

/** Sends a login link to a member who asked for it. Gives up once nobody waits for it any more. */
export const sendLoginLink = (request: LoginMailRequest): Promise<string> => sendLoginMail(request);
