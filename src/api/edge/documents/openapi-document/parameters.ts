import { type ApiDocument, operationsOf, type Parameter } from './document.ts';

/** Parameters that are the same in so many operations are written once. */
const MIN_USES = 3;

/** Makes components of the parameters that many operations have. Of those with one name, the most frequent is shared. */
export function shareParameters(document: ApiDocument): void {
  const uses = new Map<string, number>();
  const operations = operationsOf(document).map(({ operation }) => operation);
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    tidy(parameter);
    uses.set(keyOf(parameter), (uses.get(keyOf(parameter)) ?? 0) + 1);
  }
  const shared: Record<string, Parameter> = {};
  const byUse = [...uses].filter(([, count]) => count >= MIN_USES).sort(([, a], [, b]) => b - a);
  for (const [key] of byUse) {
    const parameter: Parameter = JSON.parse(key);
    shared[componentOf(parameter)] ??= parameter;
  }
  document.components.parameters = shared;
  for (const operation of operations)
    operation.parameters &&= operation.parameters.map((parameter) => {
      const name = componentOf(parameter);
      const isShared = shared[name] !== undefined && keyOf(shared[name]) === keyOf(parameter);
      return isShared ? { $ref: `#/components/parameters/${name}` } : parameter;
    });
}

/** Absent means false, except in the path, where true is demanded. */
function tidy(parameter: Parameter): void {
  if (parameter.required === false) delete parameter.required;
}

const keyOf = (parameter: Parameter) => JSON.stringify(parameter);

const componentOf = ({ name = '', in: place = '' }: Parameter) =>
  `${place}-${name}`.replace(/^query-/, '').replace(/(?:^|[-_])([a-z])/g, (_, letter: string) => letter.toUpperCase());
