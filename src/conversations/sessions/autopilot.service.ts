import type { Db } from '../../db/connect.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { AiState } from '../table.ts';
import { listAiStates } from './autopilot.queries.ts';

export interface SessionForAi {
  id: string;
  channel: SessionChannel;
  ai_state: AiState;
  assist_mode: boolean;
}

/** Returns what decides whether the AI may speak in sessions of the org. */
export const getAiStates = (db: Db, orgId: string, ids: string[]): Promise<SessionForAi[]> =>
  listAiStates(db, orgId, ids);
