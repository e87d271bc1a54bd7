type Tester = Parameters<typeof expect.addEqualityTesters>[0][number];

/**
 * Jest compares two errors by their messages alone. The product's differ by class, code and cause too: these are equal
 * only if all of it is.
 */
const areErrorsEqual: Tester = function (one, other, testers) {
  if (!(one instanceof Error && other instanceof Error)) return undefined;
  const isSameClass = Object.getPrototypeOf(one) === Object.getPrototypeOf(other);
  return isSameClass && this.equals(partsOf(one), partsOf(other), testers);
};
expect.addEqualityTesters([areErrorsEqual]);

const partsOf = (error: Error) => ({ ...error, name: error.name, message: error.message, cause: error.cause });
