import type { z } from 'zod';
import type { SendingDeps } from '../../conversations/messages/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import type { SemanticSearch } from '../../knowledge/search/passage-search.service.ts';
import type { ConnectionCalls } from '../../orgs/integrations/calls.service.ts';
import type { HttpClient, StreamClient } from '../../providers/egress/egress.ts';
import type { Secrets } from '../../secrets.ts';
import type { StepPath } from '../interpreter/step-paths.rules.ts';
import type { Run } from '../runs/shared.queries.ts';

/** Dependencies of actions. */
export interface ActionDeps {
  db: Db;
  /** For requests to addresses set by customers. */
  egress: HttpClient & StreamClient;
  calls: ConnectionCalls;
  sending: SendingDeps;
  secrets: Secrets;
  semantics: SemanticSearch;
  /** Creates the ticket of a session in the org's CRM, once, and returns its id in the CRM. */
  createTicket(session: { orgId: string; sessionId: string }, properties: Record<string, string>): Promise<string>;
}

/** The run executing an action, with the dedupe key of the step. */
export interface StepRef {
  orgId: string;
  runId: string;
  /** Length of the chain of runs causing this one. */
  depth: number;
  /** The same for all attempts of this step, and different for every other step. */
  dedupeKey: string;
  /** The origins that the credentials in the input were given for. Absent: it has none. */
  credentialOrigins?: string[] | undefined;
}

/** Returns the dedupe key of a step. */
export const dedupeKeyOf = (runId: string, path: StepPath): string => `${runId}/${path}`;

/** Returns the reference of a run's step, for its action. */
export const stepRefOf = (orgId: string, { id: runId, depth }: Pick<Run, 'id' | 'depth'>, path: StepPath): StepRef => ({
  orgId,
  runId,
  depth,
  dedupeKey: dedupeKeyOf(runId, path),
});

interface ActionDescription<Input extends z.ZodType, Output extends z.ZodType> {
  /** Name in workflow definitions: never rename. */
  type: string;
  title: string;
  description: string;
  /** Schema of the input after references are resolved. */
  input: Input;
  output: Output;
}

/** An action on our own data. Its effect commits together with the end of the step, so it happens once. */
export interface LocalAction<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType>
  extends ActionDescription<Input, Output> {
  apply(trx: Trx, deps: ActionDeps, step: StepRef, input: z.output<Input>): Promise<z.input<Output>>;
}

/**
 * An action in an external system. If an attempt's end was not saved, the call is repeated with the same dedupe key, or
 * fails if it is not repeatable.
 */
export interface RemoteAction<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType>
  extends ActionDescription<Input, Output> {
  call(deps: ActionDeps, step: StepRef, input: z.output<Input>): Promise<z.input<Output>>;
  /** Whether a call whose outcome is unknown may be made again. Absent: any may, as the action itself does each once. */
  isRepeatable?(input: z.output<Input>): boolean;
}

export type Action = LocalAction | RemoteAction;

/** Checks the types of an action's input and output against each other. */
export const localAction = <Input extends z.ZodType, Output extends z.ZodType>(
  action: LocalAction<Input, Output>,
): Action => action;
export const remoteAction = <Input extends z.ZodType, Output extends z.ZodType>(
  action: RemoteAction<Input, Output>,
): Action => action;
