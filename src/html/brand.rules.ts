import { createHash } from 'node:crypto';
import { readableOn, textColorOn } from './colors.rules.ts';
import { escapeHtml } from './escaping.rules.ts';

/** How an org shows itself on its public pages. */
export interface PageBrand {
  name: string;
  /** The address of a picture. */
  logo?: string | undefined;
  /** Of buttons and links, such as #1c4fd8. */
  color?: string | undefined;
  /** The org's own site. */
  home?: string | undefined;
}

/** The colours of a page without a brand's. `--accent` fills buttons, and `--on` is the text on them. */
export const DEFAULT_ACCENT =
  ':root{--accent:light-dark(#1c4fd8,#9db8ff);--on:light-dark(#fff,#14171d);--link:light-dark(#1c4fd8,#9db8ff)}';

/** The lightest dark background and the darkest light background of pages with links. */
const BACKGROUNDS = { light: '#eef0f4', dark: '#1d222b' };

/** Returns the colours of a brand as a style, or nothing. Links are made darker or lighter until they can be read. */
export function styleOfBrand({ color }: PageBrand): string | undefined {
  if (color === undefined) return undefined;
  const light = readableOn(BACKGROUNDS.light, color, '#000000');
  const dark = readableOn(BACKGROUNDS.dark, color, '#ffffff');
  return `:root{--accent:${color};--on:${textColorOn(color)};--link:light-dark(${light},${dark})}`;
}

/** The look of a brand's name and logo. A dark theme shows the logo on white, as most are made for it. */
export const BRAND_STYLE =
  '.brand{display:inline-flex;align-items:center;gap:.6rem;font-weight:600;text-decoration:none;color:inherit}.brand img{display:block;max-height:2.5rem;max-width:10rem;padding:.15rem;border-radius:.3rem;background:light-dark(transparent,#fff)}';

/** Returns the name and the logo as HTML, linked to `home` where there is one. */
export function brandMark({ name, logo }: PageBrand, home: string | undefined): string {
  const picture = logo === undefined ? '' : `<img src="${escapeHtml(logo)}" alt="">`;
  const content = `${picture}<span>${escapeHtml(name)}</span>`;
  return home === undefined
    ? `<span class="brand">${content}</span>`
    : `<a class="brand" href="${escapeHtml(home)}">${content}</a>`;
}

/** Returns the sources of a policy (CSP 3) that allow the styles, each as it is written in the page. */
export const styleSources = (styles: (string | undefined)[]): string =>
  styles
    .filter((style) => style !== undefined)
    .map((style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`)
    .join(' ');

/** Returns the sources of a policy that allow the logo, with a space before them. */
export const logoSource = (brand: PageBrand | undefined): string =>
  brand?.logo === undefined ? '' : ` ${new URL(brand.logo).origin}`;
