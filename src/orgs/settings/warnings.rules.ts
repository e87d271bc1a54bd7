import type { OrgSettings } from './schema.ts';

/** The systems to which sessions can be handed over. */
export type HandoffTarget = 'crm' | 'miaw';

/** What a handoff waits for while its target is not connected. */
export const NOT_CONNECTED: Record<HandoffTarget, string> = {
  crm: 'The CRM is not connected: PUT /integrations/crm',
  miaw: 'Salesforce is not connected: PUT /integrations/miaw',
};

/** Why a connected system gets no sessions. */
export const NO_TARGET =
  'handoff_target is not set, and sessions are not handed over: PATCH /org/settings with handoff_target';

/** A sentence that is never said. */
const NO_TOPICS =
  'prohibited_topic_message is never said without a topic: PATCH /org/settings with prohibited_topics as well';

/** Returns what is wrong with the org's settings beside its connected systems, each with what to do. */
export function warningsOf(
  {
    handoff_target,
    prohibited_topics,
    prohibited_topic_message,
  }: Pick<OrgSettings, 'handoff_target' | 'prohibited_topics' | 'prohibited_topic_message'>,
  connected: ReadonlySet<HandoffTarget>,
): string[] {
  const lacksTopics = prohibited_topic_message !== null && (prohibited_topics ?? []).length === 0;
  return [...warningsOfTarget(handoff_target, connected), ...(lacksTopics ? [NO_TOPICS] : [])];
}

function warningsOfTarget(
  handoff_target: OrgSettings['handoff_target'],
  connected: ReadonlySet<HandoffTarget>,
): string[] {
  if (handoff_target === null) return connected.size > 0 ? [NO_TARGET] : [];
  if (handoff_target === 'none' || connected.has(handoff_target)) return [];
  return [`handoff_target is ${handoff_target}. ${NOT_CONNECTED[handoff_target]}`];
}
