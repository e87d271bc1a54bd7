import { z } from 'zod';

/** An id, received as text or as a number. */
export const HubspotId = z.union([z.string().min(1), z.int()]).transform(String);

/** A list reduced to its readable elements. */
export const listOf = <T extends z.ZodType>(element: T) =>
  z.array(z.unknown()).transform((given) =>
    given.flatMap((one) => {
      const read = element.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );
