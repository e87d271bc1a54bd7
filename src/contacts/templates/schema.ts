import type { z } from 'zod';
import { parseTemplate } from './rules.ts';

const MAX_ISSUES = 20;

/**
 * Extends a schema for a text used as a template. The value stays a string, with an issue for each of its first
 * problems. `prepared` returns the template that the text is.
 */
export const templated = <Schema extends z.ZodType<string>>(
  schema: Schema,
  prepared: (text: string) => string = (text) => text,
): Schema =>
  schema.superRefine((text, context) => {
    const parsed = parseTemplate(prepared(text));
    if ('ok' in parsed) return;
    for (const { message, at } of parsed.problems.slice(0, MAX_ISSUES)) {
      context.addIssue({ code: 'custom', message: `${message} (at character ${at + 1})` });
    }
  });
