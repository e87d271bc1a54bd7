import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface Python {
  program: string;
  env: Record<string, string>;
}

/**
 * Installs pinned packages of PyPI into a folder, unless they are there already. Uses a venv, or a folder of packages if
 * Python has no venv. Throws if Python or the packages cannot be had.
 */
export function installPython(requirementsFile: string, home: string): Python {
  const installed = join(home, 'requirements.txt');
  const requirements = readFileSync(requirementsFile, 'utf8');
  const venv = { program: join(home, 'venv/bin/python'), env: {} };
  const target = { program: 'python3', env: { PYTHONPATH: join(home, 'packages') } };
  if (existsSync(installed) && readFileSync(installed, 'utf8') === requirements) {
    return existsSync(venv.program) ? venv : target;
  }

  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', requirementsFile];
  const hasVenv = succeeds('python3', ['-m', 'venv', join(home, 'venv')]);
  if (hasVenv) execFileSync(venv.program, pip, { stdio: 'inherit' });
  else {
    rmSync(join(home, 'venv'), { recursive: true, force: true }); // without Debian's python3-venv, half a venv is left
    execFileSync(target.program, [...pip, '--target', target.env.PYTHONPATH], { stdio: 'inherit' });
  }
  // Written last: an interrupted installation is repeated.
  copyFileSync(requirementsFile, installed);
  return hasVenv ? venv : target;
}

function succeeds(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
