import { describeAnswers } from './answers.ts';
import { mergeTwins, pruneSchemas } from './components.ts';
import type { ApiDocument } from './document.ts';
import { addExamples } from './examples.ts';
import { describeFiles } from './files.ts';
import { nameSchemas } from './names.ts';
import { openAnswers } from './open-answers.ts';
import { shareParameters } from './parameters.ts';
import { simplifySchemas } from './shapes.ts';
import { describeStored } from './stored.ts';

/**
 * Returns the document that the routes' schemas give in a form for people and for generators of clients: one schema a
 * name, each used; every answer described.
 */
export function readableDocument<Given extends object>(given: Given): Given {
  const document = given as unknown as ApiDocument;
  describeFiles(document);
  describeStored(document);
  simplifySchemas(document);
  mergeTwins(document);
  nameSchemas(document);
  pruneSchemas(document);
  openAnswers(document);
  describeAnswers(document);
  shareParameters(document);
  addExamples(document);
  return given;
}
