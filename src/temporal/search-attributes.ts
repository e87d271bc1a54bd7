import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';

const ORG_ID = defineSearchAttributeKey('OrgId', SearchAttributeType.KEYWORD);
const SUBJECT_ID = defineSearchAttributeKey('SubjectId', SearchAttributeType.KEYWORD);
const KIND = defineSearchAttributeKey('Kind', SearchAttributeType.KEYWORD);
export const TITLE = defineSearchAttributeKey('Title', SearchAttributeType.KEYWORD);
/** What a workflow waits for, or has waited for last. */
export const WAITS_FOR = defineSearchAttributeKey('WaitsFor', SearchAttributeType.KEYWORD);

/** Temporal's stores of search attributes refuse a keyword of more than 255 characters. */
const MAX_TITLE_LENGTH = 200;

/** What a workflow or Schedule is about. */
export interface Described {
  orgId: string;
  subjectId: string;
  workflowId: string;
  /** The line of the list in the Temporal UI. */
  title?: string | undefined;
}

/** Returns the first part of a workflow id. */
export const kindOf = (workflowId: string): string => workflowId.split('/')[0] ?? workflowId;

/** Returns the attributes operators filter runs by. */
export const searchAttributes = ({ orgId, subjectId, workflowId, title }: Described) =>
  new TypedSearchAttributes([
    { key: ORG_ID, value: orgId },
    { key: SUBJECT_ID, value: subjectId },
    { key: KIND, value: kindOf(workflowId) },
    ...(title === undefined ? [] : [{ key: TITLE, value: title.slice(0, MAX_TITLE_LENGTH).toWellFormed() }]),
  ]);

/** Whether Temporal refused a call because its namespace has no search attribute Title yet. */
export function isTitleUnknown(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (/search attribute .?Title\b/i.test(cause.message)) return true;
  return false;
}
