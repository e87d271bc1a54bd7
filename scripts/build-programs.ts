import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

// Bundles the api and the worker into dist/. A program of a few files starts in two thirds of the time of one of 3,000
// modules, and its code takes 30 MB less memory. What is imported late is a separate file: V8 keeps the text of each
// file that it has loaded. All other programs, threads and workflows run from their sources.
const ROOT = fileURLToPath(new URL('../', import.meta.url));
const OUT = join(ROOT, 'dist');
const PARTS_KEPT_MS = 86_400_000;
const PROGRAMS = { api: 'src/api/main.ts', worker: 'worker/main.ts' };

/** Packages that are native, that read files beside their own, or that are loaded late because they are large. */
const EXTERNAL = [
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
  '@temporalio/*',
  'eld',
  'mailauth',
  'onnxruntime-node',
  'pg-native',
  'pino',
  'piscina',
  'playwright-core',
];
/** Packages in CommonJS need `require`. */
const BANNER = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`;

/** A module that names a file beside it means the one beside its source. */
const besideSources: Plugin = {
  name: 'beside sources',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (path.includes(`${sep}node_modules${sep}`)) return undefined;
      const place = JSON.stringify(relative(OUT, path).split(sep).join('/'));
      const source = readFileSync(path, 'utf8');
      if (/import\.meta\.(?:dirname|filename)/.test(source)) throw new Error(`${path} must use import.meta.url`);
      const contents = source.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
      return { contents, loader: 'ts', resolveDir: dirname(path) };
    });
  },
};

/** V8 keeps a script of ASCII characters alone in half of the memory. */
const inAscii = (code: string) =>
  code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const { outputFiles } = await build({
  absWorkingDir: ROOT,
  entryPoints: PROGRAMS,
  outdir: OUT,
  bundle: true,
  splitting: true,
  minifySyntax: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  sourcemap: 'linked',
  sourcesContent: false,
  external: EXTERNAL,
  banner: { js: BANNER },
  plugins: [besideSources],
  logLevel: 'warning',
  write: false,
});
mkdirSync(OUT, { recursive: true });
const programs = Object.keys(PROGRAMS).map((name) => join(OUT, `${name}.js`));
const parts = outputFiles.filter(({ path }) => !programs.includes(path));
// A program that starts meanwhile reads the whole of each file, and finds those that it imports.
for (const { path, text } of [...parts, ...outputFiles.filter((file) => !parts.includes(file))]) {
  writeFileSync(`${path}.new`, path.endsWith('.js') ? inAscii(text) : text);
  renameSync(`${path}.new`, path);
}
// A program that runs may still import a part of an earlier build.
const written = outputFiles.map(({ path }) => path);
for (const name of readdirSync(OUT).filter((name) => /\.js(?:\.map)?$/.test(name))) {
  const file = join(OUT, name);
  if (!written.includes(file) && Date.now() - statSync(file).mtimeMs > PARTS_KEPT_MS) rmSync(file);
}
