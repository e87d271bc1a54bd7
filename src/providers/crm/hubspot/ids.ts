import { z } from 'zod';

/** An id, which comes as text or as a number. */
export const HubspotId = z.union([z.string().min(1), z.int()]).transform(String);

/** A list of which those elements are taken that can be read. */
export const listOf = <T extends z.ZodType>(element: T) =>
  z.array(z.unknown()).transform((given) =>
    given.flatMap((one) => {
      const read = element.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );
