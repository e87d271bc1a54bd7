const MAX_CAUSES = 5;

/**
 * Returns a function that names what is away by the error of a line: the code or class of the first error in the chain of
 * causes that one of `tests` recognizes.
 */
export const outageBy =
  (...tests: ((error: unknown) => boolean)[]) =>
  ({ err }: { err?: unknown }): string | undefined => {
    let error = err;
    for (let depth = 0; depth < MAX_CAUSES && error instanceof Error; depth++) {
      const code = 'code' in error ? error.code : error.name;
      if (tests.some((isAway) => isAway(error))) return String(code);
      error = error.cause;
    }
    return undefined;
  };
