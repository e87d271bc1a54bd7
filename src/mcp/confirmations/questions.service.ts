import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Db } from '../../db/connect.ts';
import { readSettings } from '../../orgs/service.ts';
import { createSignatures, type SigningSecrets } from '../../signatures.ts';
import type { Tool } from '../tools/tool.schema.ts';

const STATE_SECONDS = 24 * 60 * 60;
const KEY_BYTES = 32;
const QUESTION = 'confirm';
/** A person has to see all of what is done. What is longer is confirmed in the console. */
const MAX_QUESTION_CHARACTERS = 4_000;

/** The call that a question is about. */
export interface QuestionState {
  confirmation_id: string;
}

/** Seals what a client has to send back with an answer, for one API key. Any process of the installation opens it. */
export function createQuestionStates(secrets: SigningSecrets, keyId: string): RequestStateCodec<QuestionState> {
  const keys = createSignatures(secrets, 'mcp request state', KEY_BYTES).allOf('key');
  const [first, ...others] = keys.map((key) =>
    createRequestStateCodec<QuestionState>({ key, ttlSeconds: STATE_SECONDS, bind: () => keyId }),
  ) as [RequestStateCodec<QuestionState>, ...RequestStateCodec<QuestionState>[]];
  return {
    mint: (state, context) => first.mint(state, context),
    verify: (sealed, context) =>
      others.reduce(
        (verified, codec) => verified.catch(() => codec.verify(sealed, context)),
        first.verify(sealed, context),
      ),
  };
}

/**
 * Returns the question about a call, or undefined if a person decides about it in the console: there is proof of a person
 * there alone, so an org has to want a client's word.
 */
export async function questionFor(
  { db, orgId, askedBy }: { db: Db; orgId: string; askedBy: string },
  { mcpReq }: ServerContext,
  tool: Tool,
  given: Record<string, unknown>,
): Promise<string | undefined> {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {};
  if (!canAsk(envelope[CLIENT_CAPABILITIES_META_KEY])) return undefined;
  const { mcp_confirm } = await readSettings(db, orgId);
  if (mcp_confirm !== 'client') return undefined;
  const values = Object.entries(given).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const question = [
    `${tool.title}? The assistant with the API key ${JSON.stringify(askedBy)} asks for it.`,
    ...values,
  ].join('\n');
  return question.length > MAX_QUESTION_CHARACTERS ? undefined : question;
}

/** Returns whether a client shows forms to its person. It says so with each request, from the protocol of 2026 on. */
function canAsk(capabilities: unknown): boolean {
  const { elicitation } = (capabilities ?? {}) as { elicitation?: { form?: object; url?: object } };
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Returns the result that has the client ask its person. */
export const asking = (message: string, requestState: string) =>
  inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        message,
        requestedSchema: {
          type: 'object',
          properties: { [QUESTION]: { type: 'boolean', title: 'Do it', description: 'It is done at once, and once.' } },
          required: [QUESTION],
        },
      }),
    },
    requestState,
  });

/**
 * Returns what a person has answered: undefined if nothing yet. Anything but a yes is a no. An answer counts only with a
 * verified state, because a client can send one that nobody has asked for.
 */
export function answerOf({ mcpReq }: ServerContext): { id: string; isAccepted: boolean | undefined } | undefined {
  const state = mcpReq.requestState<QuestionState>();
  if (state === undefined) return undefined;
  const answer = inputResponse(mcpReq.inputResponses, QUESTION);
  const isAccepted = answer.kind === 'elicit' && answer.action === 'accept' && answer.content?.[QUESTION] === true;
  return { id: state.confirmation_id, isAccepted: answer.kind === 'missing' ? undefined : isAccepted };
}
