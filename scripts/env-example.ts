import { writeFileSync } from 'node:fs';
import type { z } from 'zod';
import { settings } from '../src/config.ts';

const HEAD = `# Settings of the api and the worker. docs/configuration.md has the rules between them.
# A line that is commented out has the default. \`node scripts/env-example.ts\` writes this file.
`;

/** Returns the text of .env.example: every setting with its meaning and its default. */
export const envExample = (): string =>
  [HEAD, ...Object.entries(settings).map(([name, schema]) => settingLines(name, schema))].join('\n');

function settingLines(name: string, schema: z.ZodType): string {
  const absent = schema.safeParse(undefined);
  const value = absent.data === undefined ? '' : String(absent.data);
  if (absent.success) return `# ${schema.description}\n# ${name}=${value}\n`;
  return `# ${schema.description}. Required\n${name}=\n`;
}

if (import.meta.main) writeFileSync(new URL('../.env.example', import.meta.url), envExample());
