import type { SessionChannel } from '../schemas/parts.ts';
import type { Finding } from './findings.rules.ts';

/** A person as a source describes one. Absent fields are unknown. */
export interface PersonRecord {
  externalId: string;
  email?: string | undefined;
  phone?: string | undefined;
  name?: string | undefined;
  /** The person's id in the org's own systems, if the source has it. */
  ownId?: string | undefined;
  data: Record<string, string>;
  createdAt?: Date | undefined;
}

/** Somebody who works for the org. */
export interface AgentRecord {
  externalId?: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
}

export interface MessageRecord {
  externalId: string;
  at: Date;
  kind: 'message' | 'note';
  /** Unknown: the record names another author by an id. */
  author: { is: 'contact' } | { is: 'agent'; agent: AgentRecord } | { is: 'system' } | { is: 'unknown'; id: string };
  text: string;
}

export interface ConversationRecord {
  externalId: string;
  /** The person, or only the id of one that was imported before. */
  person: PersonRecord | { externalId: string };
  channel: SessionChannel;
  isClosed: boolean;
  createdAt: Date;
  /** The time of its last change. */
  updatedAt: Date;
  closedAt?: Date | undefined;
  assignee?: AgentRecord | undefined;
  team?: string | undefined;
  tags: string[];
  data: Record<string, string>;
  messages: MessageRecord[];
}

export interface CategoryRecord {
  externalId: string;
  parentId?: string | undefined;
  name: string;
  description?: string | undefined;
  locale: string;
  position: number;
}

export interface ArticleRecord {
  externalId: string;
  categoryId: string | undefined;
  title: string;
  /** HTML, or Markdown. */
  body: { html: string } | { markdown: string };
  url: string | undefined;
  description?: string | undefined;
  locale: string;
  /** The language of its help center. */
  mainLocale: string;
  position: number;
}

/** A record of a file as it is imported. */
export type SourceRecord =
  | { kind: 'contact'; contact: PersonRecord; findings: Finding[] }
  | { kind: 'agent'; agent: AgentRecord & { externalId: string }; findings: Finding[] }
  | { kind: 'conversation'; conversation: ConversationRecord; findings: Finding[] }
  | { kind: 'category'; category: CategoryRecord; findings: Finding[] }
  | { kind: 'article'; article: ArticleRecord; findings: Finding[] }
  | { kind: 'left_out'; externalId: string | null; findings: Finding[] };
