import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin, transform } from 'esbuild';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Imports style sheets as minified text, which the shadow root adopts. */
const styles: Plugin = {
  name: 'styles',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'css', minify: true, target: 'es2022' });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};

const common = {
  bundle: true,
  minify: true,
  target: ['es2022', 'chrome111', 'firefox113', 'safari16.4'],
  charset: 'ascii',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  plugins: [styles],
} satisfies BuildOptions;
const panel = here('dist/panel.js');

await build({ ...common, entryPoints: [here('src/view/panel.tsx')], outfile: panel, format: 'esm' });
const version = createHash('sha256').update(readFileSync(panel)).digest('hex').slice(0, 8);
await build({
  ...common,
  entryPoints: [here('src/main.ts')],
  outfile: here('dist/widget.js'),
  format: 'iife',
  define: { PANEL_VERSION: JSON.stringify(version) },
});
mkdirSync(here('dist'), { recursive: true });
for (const name of readdirSync(here('languages')))
  writeFileSync(here(`dist/${name}`), JSON.stringify(JSON.parse(readFileSync(here(`languages/${name}`), 'utf8'))));
