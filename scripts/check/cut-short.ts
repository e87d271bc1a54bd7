import { relative } from 'node:path';

/** A line of Jest for a file that ended, with its seconds if they were many. */
const ENDED_FILE = /^(PASS|FAIL) (\S+)(?: \((\d+(?:\.\d+)?) s\))?$/gm;
const MOST_NAMED = 12;

/**
 * Tells, a line each, how far a run came that was ended before its report: the files that failed, those that did not end
 * (one that hangs is among them) and those that took longest. Takes the run's output and the paths of all its files.
 */
export function describeCutShort(output: string, paths: string[]): string[] {
  const ended = [...output.matchAll(ENDED_FILE)].map(([, status, file = '', seconds = '0']) => {
    return { hasFailed: status === 'FAIL', file, seconds: Number(seconds) };
  });
  const endedFiles = new Set(ended.map(({ file }) => file));
  const files = paths.map((path) => relative('.', path));
  const missing = files.filter((file) => !endedFiles.has(file));
  const longest = ended.toSorted((one, other) => other.seconds - one.seconds);
  return [
    `cut short after ${endedFiles.size} of ${files.length} files`,
    ...listed('failed', [...new Set(ended.filter(({ hasFailed }) => hasFailed).map(({ file }) => file))]),
    ...listed('not ended', missing),
    ...listed(
      'longest',
      longest.map(({ file, seconds }) => `${file} ${seconds} s`),
    ),
  ];
}

function listed(title: string, names: string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : '';
  return [`${title}: ${names.slice(0, MOST_NAMED).join(', ')}${more}`];
}
