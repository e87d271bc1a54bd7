import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs packages of npm into a folder by their exact versions, unless they are there already. Runs none of their
 * scripts. Returns the folder of their programs. Throws if they cannot be had.
 */
export function installNode(versions: Record<string, string>, home: string): string {
  const installed = join(home, 'installed.json');
  const manifest = JSON.stringify({ private: true, dependencies: versions });
  const programs = join(home, 'node_modules/.bin');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === manifest) return programs;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), manifest);
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel', 'error'];
  execFileSync('npm', ['install', ...options], { cwd: home, stdio: 'inherit' });
  // Written last: an interrupted installation is repeated.
  writeFileSync(installed, manifest);
  return programs;
}
