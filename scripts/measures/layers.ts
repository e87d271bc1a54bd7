import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importsOf, type Source } from './sources.ts';

/** The parts of the product above all domains, lowest first. What is in no domain and in none of these is below all domains. */
const EDGES = [/^src\/(api|cli|repair)\//, /^activities\//, /^workflows\//, /^worker\//, /^src\/dev\//];

interface Rule {
  name: string;
  from: { path?: unknown };
  to: { path?: unknown };
}

const { default: rules }: { default: { forbidden: Rule[] } } = await import(
  pathToFileURL(resolve('.dependency-cruiser.js')).href
);
/** The domains, lowest first: a rule of each names those above it. */
const DOMAINS = domainsIn(rules.forbidden);

function domainsIn(rules: Rule[]): string[] {
  const above = new Map<string, string[]>();
  for (const { name, from, to } of rules) {
    const [, domain] = /^\^src\/([\w-]+)\/$/.exec(String(from.path)) ?? [];
    const [, higher] = /^\^src\/\(([\w|-]+)\)\/$/.exec(String(to.path)) ?? [];
    if (domain !== undefined && higher !== undefined && name === `${domain}-not-up`)
      above.set(domain, higher.split('|'));
  }
  const [[lowest, others = []] = []] = above;
  return lowest === undefined ? [] : [lowest, ...others];
}

/** Returns the layer of a file: 0 for the ground, then the domains in their order, then the edges. */
function layerOf(path: string): number {
  const edge = EDGES.findIndex((pattern) => pattern.test(path));
  if (edge !== -1) return DOMAINS.length + 1 + edge;
  return DOMAINS.findIndex((domain) => path.startsWith(`src/${domain}/`)) + 1;
}

/** An import of a file in a higher layer. */
export interface UpwardArrow {
  from: string;
  to: string;
}

/** Returns the imports that lead from a layer to a higher one, types included. */
export const upwardArrowsOf = (sources: Source[]): UpwardArrow[] =>
  sources.flatMap((source) =>
    importsOf(source)
      .filter((to) => layerOf(to) > layerOf(source.path))
      .map((to) => ({ from: source.path, to })),
  );
