import { createHash } from 'node:crypto';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem;color:#1c1c1c}h1{font-size:1.5rem}p{overflow-wrap:anywhere}';

/** Lets nothing run or load but this page's own style. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

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
  page(
    `Signed in to ${org}`,
    `<p>You are signed in as <strong>${escapeHtml(name)}</strong> (${escapeHtml(email)}) until ${expires_at.toISOString()}.</p>`,
  );

export const signedOutPage = () =>
  page('You are not signed in', '<p>Ask for a new login link where you got the last one.</p>');

export const usedLinkPage = () =>
  page(
    'This login link is no longer valid',
    '<p>A link works once, within 15 minutes. Ask for a new one where you got this one.</p>',
  );

const page = (title: string, content: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>${content}</main></body></html>`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
