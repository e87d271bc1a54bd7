import type { Plugin } from 'vite';

const ICON = /lucide-react\/dist\/esm\/icons\/([\w-]+)\.mjs$/;
const ICON_MODULES = { id: ICON };

interface IconModule {
  __iconData: { node: [tag: string, attributes: Record<string, string>][] };
}

/** Moves the shapes of icons out of the scripts into the page, once each. The scripts draw them by their names. */
export const iconSprite = (): Plugin => ({
  name: 'icon-sprite',
  transform: {
    filter: ICON_MODULES,
    handler: (_, id) =>
      `import createIcon from '../createLucideIcon.mjs';
export default /* @__PURE__ */ createIcon('${ICON.exec(id)?.[1]}');`,
  },
  transformIndexHtml: {
    order: 'post',
    async handler(html, { bundle = {} }) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
      const symbols = await Promise.all(modules.filter((id) => ICON.test(id)).map(symbolOf));
      // Style sheets show images as blocks: without a size, they would move the page down.
      return html.replace('<body>', `<body>\n    <svg hidden width="0" height="0">${symbols.sort().join('')}</svg>`);
    },
  },
});

async function symbolOf(id: string): Promise<string> {
  const { __iconData: icon }: IconModule = await import(id);
  const shapes = icon.node.map(([tag, { key: _, ...attributes }]) => {
    const given = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
    return `<${tag}${given.join('')}/>`;
  });
  return `<symbol id="icon-${ICON.exec(id)?.[1]}" viewBox="0 0 24 24">${shapes.join('')}</symbol>`;
}
