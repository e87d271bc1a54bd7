import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { type Issue, invalid } from '../errors.ts';

const MAX_DEPTH = 64;
const MAX_ISSUES = 20;

/**
 * Control characters other than tab, line feed and carriage return. They carry no meaning, and would reach headers,
 * terminals and logs.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const CONTROL_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * Refuses text unfit for a database column or invisible to readers (control characters, lone surrogates), and nesting
 * deeper than any request needs.
 */
export const guardText = fastifyPlugin(async (app: FastifyInstance) => {
  app.addHook('preValidation', async ({ params, query, body }) => {
    const issues: Issue[] = [];
    inspect(params, 'params', 0, issues);
    inspect(query, 'query', 0, issues);
    if (!Buffer.isBuffer(body)) inspect(body, 'body', 0, issues);
    if (issues.length > 0) {
      throw invalid(
        `The request is not valid: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
        issues,
      );
    }
  });
});

function inspect(value: unknown, path: string, depth: number, issues: Issue[]): void {
  if (issues.length >= MAX_ISSUES) return;
  if (typeof value === 'string') {
    const control = CONTROL_CHARACTER.exec(value)?.[0];
    if (control !== undefined) issues.push({ path, message: `must not hold ${nameOf(control)}` });
    else if (!value.isWellFormed()) issues.push({ path, message: 'must be well-formed Unicode' });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) {
    issues.push({
      path: path.split('.').slice(0, 4).join('.'),
      message: `must not be nested deeper than ${MAX_DEPTH} levels`,
    });
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    const here = Array.isArray(value) ? `${path}.${key}` : `${path}.${printable(key)}`;
    if (!Array.isArray(value)) inspect(key, `${here} (the name)`, depth + 1, issues);
    inspect(item, here, depth + 1, issues);
  }
}

const nameOf = (control: string) =>
  control === '\0'
    ? 'a NUL character'
    : `the control character U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

const printable = (key: string) => JSON.stringify(key.slice(0, 60)).slice(1, -1);
