import type { Trx } from '../../db/connect.ts';
import { ownWordsIn } from '../own-words/own-words.rules.ts';
import { listLastMessages } from './shared.queries.ts';

const MAX_MESSAGES = 20;
const MAX_AGE_MS = 86_400_000;

/**
 * Returns whether an e-mail repeats an earlier one of the last day, from before the AI's answer to it, numbers aside: a
 * program answering every mail does so, regardless of its header.
 */
export async function isRepeatedAnswer(trx: Trx, orgId: string, sessionId: string, text: string): Promise<boolean> {
  const said = comparable(ownWordsIn('email', text) ?? text);
  if (said === '') return false;
  const messages = await listLastMessages(trx, orgId, sessionId, { after: 0, limit: MAX_MESSAGES });
  return messages
    .slice(
      0,
      Math.max(
        0,
        messages.findLastIndex(({ sender }) => sender === 'ai'),
      ),
    )
    .some(({ sender, content, age_ms }) => {
      const isEarlier = sender === 'contact' && age_ms < MAX_AGE_MS;
      return isEarlier && comparable(content ?? '') === said;
    });
}

const comparable = (text: string): string =>
  text
    .replaceAll(/\d+/g, '0')
    .replaceAll(/[\s\p{P}]+/gu, ' ')
    .trim()
    .toLowerCase();
