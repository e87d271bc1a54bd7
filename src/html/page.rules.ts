import {
  BRAND_STYLE,
  brandMark,
  DEFAULT_ACCENT,
  logoSource,
  type PageBrand,
  styleOfBrand,
  styleSources,
} from './brand.rules.ts';
import { escapeHtml } from './escaping.rules.ts';

export { escapeHtml };

const RIGHT_TO_LEFT = ['ar', 'fa', 'he', 'ur'];

/** Returns the attributes of a page in a language: its code, and its direction where that is not the usual one. */
export const languageAttributes = (language: string): string =>
  `lang="${escapeHtml(language)}"${RIGHT_TO_LEFT.includes(language) ? ' dir="rtl"' : ''}`;

const STYLE = `${DEFAULT_ACCENT}${BRAND_STYLE}:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:12vh auto;padding:0 1rem;overflow-wrap:anywhere;color:light-dark(#1c2330,#e4e7ee);background:light-dark(#fff,#14171d)}
h1{font-size:1.4rem}a{color:var(--link)}label{display:block;margin:1rem 0}input,select,textarea{font:inherit;display:block;box-sizing:border-box;width:100%;padding:.4rem .5rem}
input[type=checkbox],input[type=radio]{display:inline;width:auto;margin-inline-end:.5rem}fieldset{border:0;margin:1rem 0;padding:0}.row{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}.row label{margin:0;padding:.5rem 0}.problem{color:light-dark(#a6192e,#ff9aa8)}dt{font-weight:600}dd{margin:0 0 .6rem}.trap{position:absolute;inset-inline-start:-9999px}.quiet{color:light-dark(#566074,#a3abbb)}
button{font:inherit;min-height:2.75rem;padding:.5rem 1.2rem;border:0;border-radius:.4rem;background:var(--accent);color:var(--on);cursor:pointer}`;

/** The policy (CSP 3) of small pages: no pictures from elsewhere but the logo. */
export const pagePolicy = (brand?: PageBrand): string => policyOf(STYLE, "'self'", brand);

/** Returns a policy that forbids scripts. It allows a page's styles, pictures of the sources, the logo, and forms to this server. */
export const policyOf = (style: string, pictures: string, brand: PageBrand | undefined): string =>
  [
    "default-src 'none'",
    `img-src ${pictures}${logoSource(brand)}`,
    `style-src ${styleSources([style, brand && styleOfBrand(brand)])}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Returns a small HTML page. `body` is HTML; `title` is text, in a language named by its code. */
export const htmlPage = (title: string, body: string, language = 'en', brand?: PageBrand): string => `<!doctype html>
<html ${languageAttributes(language)}>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>
<style>${STYLE}</style>${styleElement(brand)}</head>
<body>${brand === undefined ? '' : `<header>${brandMark(brand, brand.home)}</header>`}<main><h1>${escapeHtml(title)}</h1>${body}</main></body>
</html>
`;

/** Returns the element with the colours of a brand. */
export function styleElement(brand: PageBrand | undefined): string {
  const style = brand && styleOfBrand(brand);
  return style === undefined ? '' : `<style>${style}</style>`;
}
