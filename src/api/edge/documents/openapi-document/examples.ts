import { type ApiDocument, JSON_TYPE, nameOfRef, operationsOf } from './document.ts';
import examples from './examples.json' with { type: 'json' };

/** What a test sent to an operation and got from it. */
export interface Example {
  status: string;
  /** The content type of an answer that is a text. Absent: JSON. */
  type?: string;
  request?: unknown;
  answer?: unknown;
}

/** Written by scripts/examples/main.ts. */
export const EXAMPLES_FILE = new URL('examples.json', import.meta.url);

/** The examples by operation. */
export const EXAMPLES: Record<string, Example> = examples;

/**
 * Adds the examples to the bodies and answers of their operations. A schema that they show as an answer needs no other
 * example, unless it is one of requests, too.
 */
export function addExamples(document: ApiDocument): void {
  const shown = new Set<string>();
  const requested = new Set<string>();
  for (const { operation } of operationsOf(document)) {
    const { status = '', type = JSON_TYPE, request, answer } = EXAMPLES[operation.operationId ?? ''] ?? {};
    const body = operation.requestBody?.content?.[JSON_TYPE];
    const answerContent = operation.responses?.[status]?.content?.[type];
    if (body !== undefined && request !== undefined) body.example = request;
    if (body !== undefined) requested.add(nameOfRef(body.schema ?? {}));
    if (answerContent === undefined || answer === undefined) continue;
    answerContent.example = answer;
    shown.add(nameOfRef(answerContent.schema ?? {}));
  }
  for (const name of shown) if (!requested.has(name)) delete document.components.schemas[name]?.examples;
}
