import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { type Issue, invalid } from '../errors.ts';

const MAX_DEPTH = 64;
const MAX_ISSUES = 20;

/** Refuses text that no database column can hold (NUL, lone surrogates) and nesting that no request needs, wherever it stands. */
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
    if (value.includes('\0')) issues.push({ path, message: 'must not hold a NUL character' });
    else if (!value.isWellFormed()) issues.push({ path, message: 'must be well-formed Unicode' });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) {
    issues.push({ path: 'body', message: `must not be nested deeper than ${MAX_DEPTH} levels` });
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    const here = Array.isArray(value) ? `${path}.${key}` : `${path}.${printable(key)}`;
    if (!Array.isArray(value)) inspect(key, `${here} (the name)`, depth + 1, issues);
    inspect(item, here, depth + 1, issues);
  }
}

const printable = (key: string) => key.slice(0, 60).replaceAll('\0', '\\u0000').toWellFormed();
