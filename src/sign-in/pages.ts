import { escapeHtml, htmlPage } from '../html/page.rules.ts';

const START = '<p><a href="/">Start page</a></p>';

export const signInPage = ({ org, name, token }: { org: string; name: string; token: string }) =>
  htmlPage(
    `Sign in to ${org}`,
    `<p>You will be signed in as <strong>${escapeHtml(name)}</strong>.</p>
<form method="post" action="sign-in"><input type="hidden" name="token" value="${escapeHtml(token)}"><button type="submit">Sign in</button></form>`,
  );

export const signedInPage = ({
  org,
  name,
  email,
  expires_at,
}: {
  org: string;
  name: string;
  email: string;
  expires_at: Date;
}) =>
  htmlPage(
    `Signed in to ${org}`,
    `<p>You are signed in as <strong>${escapeHtml(name)}</strong> (${escapeHtml(email)}).</p>
<p class="quiet">Without use, this ends on <time datetime="${expires_at.toISOString()}">${shownTime(expires_at)}</time>.</p>
<form method="post" action="sign-out"><button type="submit">Sign out</button></form>${START}`,
  );

export const signedOutPage = () =>
  htmlPage('You are not signed in', `<p>Ask for a new login link where you got the last one.</p>${START}`);

export const usedLinkPage = () =>
  htmlPage(
    'This login link is no longer valid',
    `<p>A link works once, within 15 minutes. Ask for a new one where you got this one.</p>${START}`,
  );

const shownTime = (time: Date): string =>
  time.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).concat(' UTC');
