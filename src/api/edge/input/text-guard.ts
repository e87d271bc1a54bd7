import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { type Issue, invalid } from '../../../errors.ts';
import { MAX_VALUES, TOO_MANY_VALUES } from './json-body.ts';

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
  app.addHook('preValidation', async ({ params, query, body }) =>
    assertTextFits({ params, query, body: Buffer.isBuffer(body) ? undefined : body }),
  );
});

/** Throws invalid if parts of a request have unfit text or are nested too deeply. The names of the parts are in the message. */
export function assertTextFits(parts: { params?: unknown; query?: unknown; body: unknown }): void {
  const found: Inspection = { issues: [], values: 0 };
  for (const [name, part] of Object.entries(parts)) inspect(found, part, [name]);
  const { issues, values } = found;
  if (values > MAX_VALUES) issues.push({ path: 'body', message: TOO_MANY_VALUES });
  if (issues.length > 0) {
    throw invalid(
      `The request is not valid: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
      issues,
    );
  }
}

/** What is found in the parts of a request. */
interface Inspection {
  issues: Issue[];
  values: number;
}

/** Inspects a value. `trail` has the names that lead to it: they become a path only for an issue. */
function inspect(found: Inspection, value: unknown, trail: (string | number)[]): void {
  if (found.issues.length >= MAX_ISSUES || ++found.values > MAX_VALUES) return;
  if (typeof value === 'string') inspectText(found, value, trail, '');
  if (typeof value !== 'object' || value === null) return;
  if (trail.length > MAX_DEPTH) {
    const message = `must not be nested deeper than ${MAX_DEPTH} levels`;
    found.issues.push({ path: pathOf(trail.slice(0, 4)), message });
    return;
  }
  trail.push('');
  const last = trail.length - 1;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      trail[last] = index;
      inspect(found, item, trail);
    }
  } else {
    for (const [name, item] of Object.entries(value)) {
      trail[last] = name;
      inspectText(found, name, trail, ' (the name)');
      inspect(found, item, trail);
    }
  }
  trail.pop();
}

function inspectText({ issues }: Inspection, text: string, trail: (string | number)[], suffix: string): void {
  const control = CONTROL_CHARACTER.exec(text)?.[0];
  if (control !== undefined) issues.push({ path: pathOf(trail) + suffix, message: `must not hold ${nameOf(control)}` });
  else if (!text.isWellFormed()) issues.push({ path: pathOf(trail) + suffix, message: 'must be well-formed Unicode' });
}

const pathOf = ([part, ...names]: (string | number)[]): string =>
  [part, ...names.map((name) => (typeof name === 'number' ? name : printable(name)))].join('.');

const nameOf = (control: string) =>
  control === '\0'
    ? 'a NUL character'
    : `the control character U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

const printable = (key: string) => JSON.stringify(key.slice(0, 60)).slice(1, -1);
