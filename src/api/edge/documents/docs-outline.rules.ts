import MarkdownIt from 'markdown-it';
import { escapeHtml } from '../../../html/escaping.rules.ts';

/** What the documentation says before anything is opened. */
export interface Outline {
  title: string;
  /** Markdown. */
  introduction: string;
  groups: { name: string; description: string; operations: { method: string; path: string; summary: string }[] }[];
}

/** The script's page is hidden until it has a heading. Then it takes the place of the outline. */
const STYLE = `:root{color-scheme:light dark}#app:has(h1)~.outline{display:none}#app:not(:has(h1)){position:fixed;inset:0;visibility:hidden}
.outline{max-width:44rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}
.outline ul{padding:0;list-style:none}.outline code{overflow-wrap:anywhere}`;

/** Returns an outline as HTML. Readers see it until the script has drawn `#app`, the element before it. */
export function renderOutline({ title, introduction, groups }: Outline): string {
  const sections = groups.map(({ name, description, operations }) => {
    const lines = operations.map(
      ({ method, path, summary }) =>
        `<li><code>${escapeHtml(`${method.toUpperCase()} ${path}`)}</code> ${escapeHtml(summary)}</li>`,
    );
    return `<h2>${escapeHtml(name)}</h2><p>${escapeHtml(description)}</p><ul>${lines.join('')}</ul>`;
  });
  const text = new MarkdownIt().render(introduction);
  return `<style>${STYLE}</style><main class="outline"><h1>${escapeHtml(title)}</h1>${text}${sections.join('')}</main>`;
}
