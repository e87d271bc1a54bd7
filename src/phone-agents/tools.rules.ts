import { onlyReads } from '../actions/definitions/effects.rules.ts';
import type { RequestType } from '../actions/definitions/schema.ts';
import { objectOf } from '../actions/definitions/schema-parts.rules.ts';
import type { Tool } from '../actions/definitions/tools.rules.ts';
import { memberOf } from '../collections/records.ts';

/** What calls need to know of an action. */
interface CallableAction {
  name: string;
  request_type: RequestType;
  read_only: boolean;
  held: boolean;
  requires_verified: boolean;
  require_form_submission: boolean;
  confirm: string;
}

/** The argument by which an assistant says that the other side wants what an action changes. */
export const CONFIRMED = 'confirmed';

export const KNOWLEDGE_TOOL: Tool = {
  name: 'search_knowledge',
  description: 'Searches what the company knows. Use it before you answer a question of fact.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string', description: 'What to look for, in the words of an article' } },
    required: ['query'],
  },
};

/** Returns why no call can take an action, or undefined if calls can. */
export function obstacleOf({ held, requires_verified, require_form_submission, confirm }: CallableAction) {
  if (held) return 'is held until a person accepts its definition';
  if (requires_verified) return 'needs a verified contact, and nobody is verified on the phone';
  if (require_form_submission) return 'needs a form, and there is none on the phone';
  return confirm === 'always' ? 'needs a confirmation that cannot be given on the phone' : undefined;
}

/** Whether an action may change something, so that it is done only once it is confirmed. */
export const changesSomething = (action: Pick<CallableAction, 'request_type' | 'read_only'>): boolean =>
  !onlyReads(action);

/** Returns the tool of an action that changes something: with an argument for the confirmation. */
export function confirmable({ name, description, parameters }: Tool): Tool {
  const confirmed = { type: 'boolean', description: 'True only after the other side has said yes to exactly this.' };
  return {
    name,
    description: `${description} Say what you will do and ask for a yes before you use it.`,
    parameters: {
      ...parameters,
      properties: { ...objectOf(memberOf(parameters, 'properties')), [CONFIRMED]: confirmed },
    },
  };
}

/** The same limit as for the instructions of a chat session. Models follow longer prompts less, or refuse them. */
const MAX_INSTRUCTION_CHARACTERS = 60_000;

/** Returns what of an agent's settings has no effect, or may have none, and why. */
export const warningsOf = (
  actions: CallableAction[],
  instructions: { title: string; content: string; is_draft: boolean }[],
): string[] => {
  const characters = instructions.reduce((sum, item) => sum + (item.is_draft ? 0 : item.content.length), 0);
  return [
    ...actions.flatMap((action) => {
      const obstacle = obstacleOf(action);
      return obstacle === undefined ? [] : [`actionIds: no call takes "${action.name}", as it ${obstacle}`];
    }),
    ...instructions.flatMap(({ title, is_draft }) =>
      is_draft ? [`instructions: no call follows "${title}", as it is a draft`] : [],
    ),
    ...(characters > MAX_INSTRUCTION_CHARACTERS
      ? [
          `instructions: calls may fail or follow only some of them, as they have ${characters} characters together: more than ${MAX_INSTRUCTION_CHARACTERS}`,
        ]
      : []),
  ];
};
