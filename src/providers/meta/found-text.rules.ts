const MAX_DEPTH = 8;
const MAX_LINES = 200;

type Field = [name: string, value: string];

/** Returns the fields of a JSON value as lines of name and value. Says how many lines are left out of a long list. */
export function linesOf(value: unknown): string[] {
  const fields = fieldsOf(value, '', 0);
  const lines = fields.slice(0, MAX_LINES).map(([name, text]) => (name === '' ? text : `${name}: ${text}`));
  return fields.length > MAX_LINES ? [...lines, `[${fields.length - MAX_LINES} more fields]`] : lines;
}

function fieldsOf(value: unknown, name: string, depth: number): Field[] {
  if (value === null || value === undefined || value === '') return [];
  if (typeof value !== 'object' || depth === MAX_DEPTH)
    return [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]];
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return value.length === 0 ? [] : [[name, value.join(', ')]];
  return Object.entries(value).flatMap(([key, item]) =>
    fieldsOf(item, name === '' ? key : `${name}.${key}`, depth + 1),
  );
}
