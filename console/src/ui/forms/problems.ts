import { ApiError } from '../../api/client';

export interface Problem {
  /** Where it is in the body: settings.host. */
  path: string;
  message: string;
}

/** Returns what an answer says of single fields of the body. */
export function problemsOf(error: Error | null): Problem[] {
  if (!(error instanceof ApiError) || !Array.isArray(error.body.issues)) return [];
  return (error.body.issues as Problem[])
    .filter(({ path }) => path.startsWith('body.'))
    .map(({ path, message }) => ({ path: path.slice('body.'.length), message }));
}

/** Returns what an error says of a field, or of something in it. */
export const problemAt = (problems: Problem[], name: string): string | undefined =>
  problems.find(({ path }) => path === name || path.startsWith(`${name}.`))?.message;

/** Returns the parts of an error that no field of these names shows. */
export function restOf(error: Error | null, names: string[]): string | undefined {
  if (error === null) return undefined;
  const problems = problemsOf(error);
  const isShown = problems.every(({ path }) => names.some((name) => path === name || path.startsWith(`${name}.`)));
  return problems.length > 0 && isShown ? undefined : error.message;
}
