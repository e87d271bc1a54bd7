import type { Trx } from '../../db/connect.ts';
import { updateHelpfulness } from './queries.ts';

/** Notes what a contact says of an answer. A message that is none of the AI's changes nothing. */
export const rateAnswer = (trx: Trx, orgId: string, messageId: string, isHelpful: boolean): Promise<void> =>
  updateHelpfulness(trx, orgId, messageId, isHelpful);
