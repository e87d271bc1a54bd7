import { z } from 'zod';

/** Says in words what zod says of values in those of JavaScript. To be imported by each program that validates input. */
z.config({
  customError: ({ code, input }) => {
    if (code === 'invalid_type')
      return input === undefined ? 'is missing' : Number.isNaN(input) ? 'must be one number' : undefined;
    return code === 'invalid_key' ? 'is not a possible name here' : undefined;
  },
});
