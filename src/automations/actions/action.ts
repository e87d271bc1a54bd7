import type { z } from 'zod';
import type { SendingDeps } from '../../conversations/messages/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import type { Secrets } from '../../secrets.ts';

/** What actions need of the outside. */
export interface ActionDeps {
  db: Db;
  /** To addresses that customers name. */
  egress: HttpClient;
  sending: SendingDeps;
  secrets: Secrets;
  /** Makes the ticket of a session in the org's CRM, once, and gives its id there. */
  createTicket(orgId: string, sessionId: string, properties: Record<string, string>): Promise<string>;
}

/** Where in which run an action is done. */
export interface StepRef {
  orgId: string;
  runId: string;
  /** The same for all tries of this step, and for no other. */
  dedupeKey: string;
}

interface ActionDescription<Input extends z.ZodType, Output extends z.ZodType> {
  /** As definitions name it: never rename. */
  type: string;
  title: string;
  description: string;
  /** What it takes once references are resolved. */
  input: Input;
  output: Output;
}

/** An action on our own data: its effect commits together with the step's end, so that it happens once. */
export interface LocalAction<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType>
  extends ActionDescription<Input, Output> {
  apply(trx: Trx, deps: ActionDeps, step: StepRef, input: z.output<Input>): Promise<z.input<Output>>;
}

/** An action elsewhere. A try whose end was not written down is made again, with the same dedupe key. */
export interface RemoteAction<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType>
  extends ActionDescription<Input, Output> {
  call(deps: ActionDeps, step: StepRef, input: z.output<Input>): Promise<z.input<Output>>;
}

export type Action = LocalAction | RemoteAction;

/** Keeps the types of an action's input and output together. */
export const localAction = <Input extends z.ZodType, Output extends z.ZodType>(
  action: LocalAction<Input, Output>,
): Action => action as unknown as LocalAction;
export const remoteAction = <Input extends z.ZodType, Output extends z.ZodType>(
  action: RemoteAction<Input, Output>,
): Action => action as unknown as RemoteAction;
