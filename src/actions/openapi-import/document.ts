import { type DocumentResult, parseDocument, resultOf } from '../../documents/openapi.ts';
import type { Issue } from '../../errors.ts';
import { problemsOf } from '../definitions/operations.rules.ts';
import { CreateAction } from '../definitions/schema.ts';
import { type DocumentedOperation, operationsOf } from './operations.ts';

/** The most problems that are reported. */
const MAX_PROBLEMS = 100;

/** The actions of a document, and why others of its operations are none. */
export interface ImportedDocument {
  actions: CreateAction[];
  skipped: number;
  problems: Issue[];
}

/** Reads the actions of an OpenAPI document. Time and memory depend on the document and are not limited here. */
export const readActions = (text: string): DocumentResult<ImportedDocument> =>
  resultOf(() => {
    const { operations, problems } = operationsOf(parseDocument(text));
    const { actions, issues } = checkOperations(operations);
    return {
      actions,
      skipped: problems.length + operations.length - actions.length,
      problems: [...problems, ...issues].slice(0, MAX_PROBLEMS),
    };
  });

/** Returns the actions to import, and the issues of the others. */
function checkOperations(operations: DocumentedOperation[]): { actions: CreateAction[]; issues: Issue[] } {
  const actions = new Map<string, CreateAction>();
  const issues: Issue[] = [];
  for (const { path, action } of operations) {
    const { success, data, error } = CreateAction.safeParse(action);
    const found = success
      ? problemsOf(data)
      : error.issues.map((one) => ({ path: one.path.join('.'), message: one.message }));
    const id = data?.operation_id ?? '';
    if (actions.has(id)) found.push({ path: 'operationId', message: `${id} appears twice in the document` });
    if (found.length === 0 && success) actions.set(id, data);
    issues.push(...found.map((issue) => ({ path: `${path}.${documentPathOf(issue.path)}`, message: issue.message })));
  }
  return { actions: [...actions.values()], issues };
}

/** Returns the place of an action's field in an operation of a document. */
function documentPathOf(path: string): string {
  if (path === 'api_endpoint') return 'servers';
  return path === 'operation_id' ? 'operationId' : path.replace(/^payload\./, '');
}
