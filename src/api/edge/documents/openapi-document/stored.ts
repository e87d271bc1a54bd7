import { type ApiDocument, refTo, visitSchemas } from './document.ts';

/** Describes stored JSON by the schema that it was checked by as a request. */
export function describeStored(document: ApiDocument): void {
  const { schemas } = document.components;
  visitSchemas(document, (schema) => {
    const { storedAs: name } = schema;
    if (name === undefined) return;
    const component = [`${name}Input`, name].find((one) => schemas[one] !== undefined);
    if (component === undefined) throw new Error(`Stored JSON has the schema ${name}, which no request has`);
    delete schema.storedAs;
    Object.assign(schema, refTo(component));
  });
}
