import { type ApiDocument, JSON_TYPE, operationsOf } from './document.ts';
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

/** Adds the examples to the bodies and answers of their operations. */
export function addExamples(document: ApiDocument): void {
  for (const { operation } of operationsOf(document)) {
    const { status = '', type = JSON_TYPE, request, answer } = EXAMPLES[operation.operationId ?? ''] ?? {};
    const body = operation.requestBody?.content?.[JSON_TYPE];
    const answerContent = operation.responses?.[status]?.content?.[type];
    if (body !== undefined && request !== undefined) body.example = request;
    if (answerContent !== undefined && answer !== undefined) answerContent.example = answer;
  }
}
