import type { Generated } from 'kysely';

/** An answer of a reader, about whom nothing is stored. */
export interface HelpCenterAnswersTable {
  org_id: string;
  id: string;
  article_id: string;
  /** Of the page that was read. */
  language: string;
  is_helpful: boolean;
  comment: string | null;
  /** When its sentence was removed. It gets no second one. */
  redacted_at: Date | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

/** The numbers of answers, which stay when the answers are deleted. */
export interface HelpCenterFeedbackTable {
  org_id: string;
  article_id: string;
  language: string;
  helpful: Generated<number>;
  not_helpful: Generated<number>;
}

declare module '../../../db/database.ts' {
  interface Database {
    help_center_answers: HelpCenterAnswersTable;
    help_center_feedback: HelpCenterFeedbackTable;
  }
}
