import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';

const ORG_ID = defineSearchAttributeKey('OrgId', SearchAttributeType.KEYWORD);
const SUBJECT_ID = defineSearchAttributeKey('SubjectId', SearchAttributeType.KEYWORD);
const KIND = defineSearchAttributeKey('Kind', SearchAttributeType.KEYWORD);

/** Returns the attributes operators filter runs by. The kind is the first part of the workflow id. */
export const searchAttributes = (orgId: string, subjectId: string, workflowId: string) =>
  new TypedSearchAttributes([
    { key: ORG_ID, value: orgId },
    { key: SUBJECT_ID, value: subjectId },
    { key: KIND, value: workflowId.split('/')[0] ?? workflowId },
  ]);
