import type { ColumnType, Generated } from 'kysely';
import type { SessionChannel } from '../../schemas/parts.ts';

/** The active customers' workflows with an ai-trigger, as the AI is offered them. */
export interface AiWorkflowToolsTable {
  org_id: string;
  workflow_id: string;
  name: string;
  description: string | null;
  /** The JSON Schema of its arguments. Null: any object. */
  arguments: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
  /** Null: all channels. */
  channels: SessionChannel[] | null;
  confirm: 'auto' | 'always';
  requires_verified: boolean;
  /** JSON Logic over the arguments. If it holds, an agent must confirm. */
  limits: ColumnType<unknown, string | null | undefined, string | null>;
  created_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    ai_workflow_tools: AiWorkflowToolsTable;
  }
}
