import { escapeHtml, htmlPage } from '../html/page.rules.ts';

const START = '<p><a href="/">Start page</a></p>';

interface LinkedSignIn {
  org: string;
  name: string;
  token: string;
  next: string | null;
}

export const signInPage = ({ org, name, token, next }: LinkedSignIn) =>
  htmlPage(
    `Sign in to ${org}`,
    `<p>You will be signed in as <strong>${escapeHtml(name)}</strong>.</p>
<form method="post" action="sign-in">${hidden('token', token)}${hidden('next', next)}<button type="submit">Sign in</button></form>`,
  );

const hidden = (name: string, value: string | null): string =>
  value === null ? '' : `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

/** The form that asks for a login link by mail. */
const mailForm = (next: string | null) =>
  `<form method="post" action="login-mail"><label>Your e-mail address<input type="email" name="email" required autocomplete="username" maxlength="254"></label>${hidden('next', next)}<button type="submit">Send me a login link</button></form>`;

export const askForMailPage = (next: string | null, problem = '') =>
  htmlPage(
    'Sign in',
    `${problem === '' ? '' : `<p class="problem">${escapeHtml(problem)}</p>`}<p>You get a mail with a link that signs you in.</p>${mailForm(next)}${START}`,
  );

export const mailSentPage = () =>
  htmlPage(
    'Look into your mail',
    `<p>If the address belongs to a member, a link is on its way. It works once, within 15 minutes.</p>${START}`,
  );

interface UsedLink {
  /** Whether the server sends login links by mail. */
  sendsMail: boolean;
  next: string | null;
}

export const usedLinkPage = ({ sendsMail, next }: UsedLink) =>
  htmlPage(
    'This login link is no longer valid',
    `<p>A link works once, within 15 minutes. Ask for a new one where you got this one${sendsMail ? ', or by mail' : ''}.</p>${sendsMail ? mailForm(next) : ''}${START}`,
  );

export const noMailPage = () =>
  htmlPage('No mail is sent', `<p>Ask for a new login link where you got the last one.</p>${START}`);
