const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for an HTML page or attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const RIGHT_TO_LEFT = ['ar', 'fa', 'he'];

/** Returns a small HTML page. `body` is HTML; `title` is text, in a language named by its code. */
export const htmlPage = (title: string, body: string, language = 'en'): string => `<!doctype html>
<html lang="${escapeHtml(language)}"${RIGHT_TO_LEFT.includes(language) ? ' dir="rtl"' : ''}>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem;color:#1c2330}
h1{font-size:1.4rem}button{font:inherit;padding:.5rem 1.2rem;border:0;border-radius:.4rem;background:#1c4fd8;color:#fff;cursor:pointer}</style></head>
<body><h1>${escapeHtml(title)}</h1>${body}</body>
</html>
`;
