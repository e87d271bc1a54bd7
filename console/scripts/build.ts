import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';

// Builds the console into dist/, with each file compressed twice besides. Does nothing where dist/ is of these sources.
process.env.NODE_ENV = 'production'; // React's development build is half as large again
const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const stamp = join(dist, '.sources');
const COMPRESSED = /\.(?:js|css|html|svg)$/;

const sources = ['src/**/*.*', 'scripts/*.ts', '*.{html,json,ts}'].flatMap((pattern) =>
  globSync(pattern, { cwd: root }),
);
const hash = createHash('sha256');
for (const file of sources.sort()) hash.update(file).update(readFileSync(join(root, file)));
const digest = hash.digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  const built = join(root, `node_modules/.build-${process.pid}`);
  await build({ root, logLevel: 'warn', build: { outDir: built, emptyOutDir: true } });
  for (const file of globSync('**/*.*', { cwd: built })) {
    if (COMPRESSED.test(file)) compress(join(built, file));
  }
  writeFileSync(join(built, '.sources'), digest);
  // Another build may end at the same time: dist/ is always one of them as a whole.
  rmSync(dist, { recursive: true, force: true });
  try {
    renameSync(built, dist);
  } catch {
    rmSync(built, { recursive: true, force: true });
  }
}

function compress(path: string): void {
  const content = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(content));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
