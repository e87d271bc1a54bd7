import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const CONTEXT = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
const INCLUDED = CONTEXT.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
const EXCLUDED = CONTEXT.filter((line) => /^[a-z]/.test(line));
const STAGES = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .split(/^FROM /m)
  .slice(1);

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => void rmSync(folder, { recursive: true, force: true })));

/** Copies what a stage of the Dockerfile takes from the checkout, with the packages of the checkout. */
function copyStage(stage: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'image-'));
  folders.push(folder);
  for (const [, names = ''] of stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
    for (const name of names.split(' ')) {
      expect([name, INCLUDED.some((included) => name === included || dirname(name) === included)]).toEqual([
        name,
        true,
      ]);
      cpSync(join(ROOT, name), join(folder, name), {
        recursive: true,
        filter: (path) => !EXCLUDED.some((excluded) => path === join(ROOT, excluded)),
      });
    }
  }
  for (const packages of ['node_modules', 'console/node_modules', 'embed/node_modules']) {
    if (existsSync(join(ROOT, packages)) && existsSync(join(folder, dirname(packages))))
      symlinkSync(join(ROOT, packages), join(folder, packages));
  }
  return folder;
}

const run = (folder: string, command: string) =>
  execFileSync('sh', ['-c', command], { cwd: folder, env: { ...process.env, WORKFLOW_BUNDLE: 'workflows.js' } });

it('builds the programs, the console and the widget from the files that the image’s stage has', () => {
  const stage = STAGES.find((text) => text.includes('AS built')) ?? '';
  const folder = copyStage(stage);
  run(folder, /^RUN (npm run .+)$/m.exec(stage)?.[1] ?? 'false');
  for (const file of ['dist/api.js', 'dist/worker.js', 'console/dist/index.html', 'embed/dist/widget.js']) {
    expect([file, existsSync(join(folder, file))]).toEqual([file, true]);
  }
});

it('bundles the workflows from the files that the image has', () => {
  const folder = copyStage(STAGES.at(-1) ?? '');
  run(folder, /^RUN (node worker.+)$/m.exec(STAGES.at(-1) ?? '')?.[1] ?? 'false');
  expect(readFileSync(join(folder, 'workflows.js'), 'utf8')).toContain('workflow');
});
