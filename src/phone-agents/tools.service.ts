import { readActionsById, type StoredAction } from '../actions/definitions/service.ts';
import { type Tool, toolsOf } from '../actions/definitions/tools.rules.ts';
import { elementAt } from '../collections/checked-access.ts';
import type { Db } from '../db/connect.ts';
import { isUuid } from '../ids.ts';
import { findPhoneAgentReferences, listNamedTraining, listPhoneAgents } from './queries.ts';
import { findPhoneAgent } from './service.ts';
import { changesSomething, confirmable, KNOWLEDGE_TOOL, obstacleOf, warningsOf } from './tools.rules.ts';

interface References {
  instructions: string[] | null;
  actionIds: string[] | null;
}

/**
 * Returns all that a call needs of an agent: with its instructions and tools as they are now. Drafts, deleted items and
 * actions that calls cannot take are left out. The id may be any text.
 */
export async function findCallProfile(db: Db, orgId: string, id: string) {
  const agent = await findPhoneAgent(db, orgId, id);
  const references = agent && (await findPhoneAgentReferences(db, orgId, agent.id));
  if (agent === undefined || references === undefined) return undefined;
  return {
    ...agent,
    instructions: await listInstructions(db, orgId, references),
    tools: [
      ...(references.use_org_knowledgebase ? [KNOWLEDGE_TOOL] : []),
      ...(await listActionTools(db, orgId, references)).map(({ tool }) => tool),
    ],
  };
}

/** Returns what a tool of an agent stands for. Undefined if the agent has no such tool. */
export async function findPhoneTool(
  db: Db,
  orgId: string,
  { agentId, name }: { agentId: string; name: string },
): Promise<'knowledge' | StoredAction | undefined> {
  const references = isUuid(agentId) ? await findPhoneAgentReferences(db, orgId, agentId) : undefined;
  if (references === undefined) return undefined;
  if (name === KNOWLEDGE_TOOL.name) return references.use_org_knowledgebase ? 'knowledge' : undefined;
  return (await listActionTools(db, orgId, references)).find(({ tool }) => tool.name === name)?.action;
}

/** Returns all phone agents of the org, oldest first, each with its warnings. */
export const showPhoneAgents = async (db: Db, orgId: string) =>
  withWarnings(db, orgId, await listPhoneAgents(db, orgId));

/** Returns an agent with what of its settings has no effect in calls, and why. */
export const showPhoneAgent = async <Agent extends References>(db: Db, orgId: string, agent: Agent) =>
  elementAt(await withWarnings(db, orgId, [agent]), 0);

async function withWarnings<Agent extends References>(db: Db, orgId: string, agents: Agent[]) {
  const actions = await readActionsById(db, orgId, idsOf(agents.map(({ actionIds }) => actionIds)));
  const named = await listNamedTraining(db, orgId, idsOf(agents.map(({ instructions }) => instructions)));
  return agents.map((agent) => {
    const [taken, followed] = [new Set(idsOf([agent.actionIds])), new Set(idsOf([agent.instructions]))];
    const warnings = warningsOf(
      actions.filter(({ id }) => taken.has(id)),
      named.filter(({ id }) => followed.has(id)),
    );
    return { ...agent, warnings };
  });
}

/** Returns ids as the database has them, without duplicates. */
const idsOf = (lists: (string[] | null)[]): string[] => [
  ...new Set(lists.flatMap((ids) => ids ?? []).map((id) => id.toLowerCase())),
];

async function listActionTools(
  db: Db,
  orgId: string,
  { actionIds }: Pick<References, 'actionIds'>,
): Promise<{ tool: Tool; action: StoredAction }[]> {
  const actions = await readActionsById(db, orgId, idsOf([actionIds]));
  const taken = actions.filter((action) => obstacleOf(action) === undefined);
  return toolsOf(taken, [KNOWLEDGE_TOOL.name]).map(({ tool, action }) => ({
    tool: changesSomething(action) ? confirmable(tool) : tool,
    action,
  }));
}

/** Lists the named training items but for drafts, in the order in which they are named. */
async function listInstructions(db: Db, orgId: string, { instructions }: Pick<References, 'instructions'>) {
  const ids = idsOf([instructions]);
  const items = await listNamedTraining(db, orgId, ids);
  return items
    .filter(({ is_draft }) => !is_draft)
    .toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
    .map(({ title, content }) => ({ title, content }));
}
