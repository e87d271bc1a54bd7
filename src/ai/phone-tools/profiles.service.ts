import type { FindPhoneAgent } from '../../deliveries/callbacks/phone-tools.port.ts';
import { listInstructions } from '../../knowledge/training/service.ts';
import { findAiInstructions } from '../../orgs/service.ts';
import { findCallProfile } from '../../phone-agents/tools.service.ts';
import { listKnowledgeSegments } from '../turns/decision/prompt-facts.service.ts';

/**
 * Finds an agent with the material its AI always gets: the org's instructions, and the training that always applies.
 */
export const findPhoneAssistant: FindPhoneAgent = async (db, orgId, { agentId, contactId }) => {
  const agent = await findCallProfile(db, orgId, agentId);
  if (agent === undefined) return undefined;
  const instructions = await findAiInstructions(db, orgId);
  const segments = await listKnowledgeSegments(db, orgId, contactId);
  const training = await listInstructions(db, orgId, { channel: 'phone_voice', segments });
  const always = training.map(({ title, content }) => `# ${title}\n${content}`);
  return { ...agent, rules: instructions === null ? always : [instructions, ...always] };
};
