import { createHash } from 'node:crypto';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for an HTML page or attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const RIGHT_TO_LEFT = ['ar', 'fa', 'he', 'ur'];

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem;overflow-wrap:anywhere;color:light-dark(#1c2330,#e4e7ee);background:light-dark(#fff,#14171d)}
h1{font-size:1.4rem}a{color:light-dark(#1c4fd8,#9db8ff)}label{display:block;margin:1rem 0}input,select,textarea{font:inherit;display:block;box-sizing:border-box;width:100%;padding:.4rem .5rem}
input[type=checkbox],input[type=radio]{display:inline;width:auto;margin-inline-end:.5rem}fieldset{border:0;margin:1rem 0;padding:0}.row{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}.row label{margin:0;padding:.5rem 0}.problem{color:light-dark(#a6192e,#ff9aa8)}dt{font-weight:600}dd{margin:0 0 .6rem}.trap{position:absolute;inset-inline-start:-9999px}.quiet{color:light-dark(#566074,#a3abbb)}
button{font:inherit;min-height:2.75rem;padding:.5rem 1.2rem;border:0;border-radius:.4rem;background:light-dark(#1c4fd8,#9db8ff);color:light-dark(#fff,#14171d);cursor:pointer}`;

/** Forbids scripts and everything from elsewhere. Allows the page's own style, the icon and forms to this server. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "img-src 'self'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Returns a small HTML page. `body` is HTML; `title` is text, in a language named by its code. */
export const htmlPage = (title: string, body: string, language = 'en'): string => `<!doctype html>
<html lang="${escapeHtml(language)}"${RIGHT_TO_LEFT.includes(language) ? ' dir="rtl"' : ''}>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>
<style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body>
</html>
`;
