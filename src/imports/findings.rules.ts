/** Why a record, or a part of it, was left out. */
export type FindingCode =
  | 'agent'
  | 'agent_unknown'
  | 'article_too_long'
  | 'assignee_unknown'
  | 'attachments_linked'
  | 'author_unknown'
  | 'changed_here'
  | 'contact_unknown'
  | 'continued_here'
  | 'deleted'
  | 'deleted_here'
  | 'email_invalid'
  | 'email_taken'
  | 'events_left_out'
  | 'external_id_taken'
  | 'fields_left_out'
  | 'not_public'
  | 'not_readable'
  | 'phone_invalid'
  | 'phone_taken'
  | 'snooze_ended'
  | 'tags_left_out'
  | 'team_unknown'
  | 'text_cut'
  | 'too_large';

/** What was left out of a record, and why. */
export interface Finding {
  code: FindingCode;
  reason: string;
}

/** The outcome of a record of a file. */
export interface Outcome {
  result: 'created' | 'updated' | 'unchanged' | 'left_out';
  externalId: string | null;
  findings: Finding[];
}

export const leftOut = (externalId: string | null, code: FindingCode, reason: string): Outcome => ({
  result: 'left_out',
  externalId,
  findings: [{ code, reason }],
});
