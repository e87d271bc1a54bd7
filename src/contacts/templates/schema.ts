import type { z } from 'zod';
import { parseTemplate } from './rules.ts';

const MAX_ISSUES = 20;

/** The same schema for a text that is a template: it stays a string, and has an issue for each of its first problems. */
export const templated = <Schema extends z.ZodType<string>>(schema: Schema): Schema =>
  schema.superRefine((text, context) => {
    const parsed = parseTemplate(text);
    if ('ok' in parsed) return;
    for (const { message, at } of parsed.problems.slice(0, MAX_ISSUES)) {
      context.addIssue({ code: 'custom', message: `${message} (at character ${at + 1})` });
    }
  });
