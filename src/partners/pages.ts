import { escapeHtml, htmlPage } from '../html/page.rules.ts';

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
    `<p>You are signed in as <strong>${escapeHtml(name)}</strong> (${escapeHtml(email)}) until ${expires_at.toISOString()}.</p>`,
  );

export const signedOutPage = () =>
  htmlPage('You are not signed in', '<p>Ask for a new login link where you got the last one.</p>');

export const usedLinkPage = () =>
  htmlPage(
    'This login link is no longer valid',
    '<p>A link works once, within 15 minutes. Ask for a new one where you got this one.</p>',
  );
