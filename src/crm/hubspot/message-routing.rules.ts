/** The properties of a message in a CRM thread that decide its route. */
export interface RoutableMessage {
  type: string;
  isArchived: boolean;
  direction: 'INCOMING' | 'OUTGOING' | null;
  actorId: string | null;
  clientType: string | null;
  integrationAppId: string | null;
}

/** Our own knowledge about the message. */
export interface RoutingContext {
  /** The event says that it is a comment. */
  isComment: boolean;
  /** It is in our ledger, or its text shows that it is ours. */
  isOurs: boolean;
  /** The app id of our own posts. */
  appId: string | null;
}

export type Route = { to: 'note' | 'agent' | 'customer' } | { skip: string };

/** Automations, systems, live-chat robots and bots. */
const AUTOMATED = /^[ISLB]-/;
const CUSTOMER = /^[VE]-/;

/** Returns the route of a message. The order of the rules decides; a client of type SYSTEM alone means nothing. */
export function routeOf(message: RoutableMessage, { isComment, isOurs, appId }: RoutingContext): Route {
  const { type, isArchived, direction, actorId } = message;
  const isOwn = isOurs || isOurApp(message, appId);
  if (isComment || type === 'COMMENT') return isOwn ? { skip: 'ours' } : { to: 'note' };
  if (isArchived) return { skip: 'archived' };
  if (type !== 'MESSAGE') return { skip: `of the type ${type.slice(0, 40)}` };
  if (isOwn) return { skip: 'ours' };
  if (actorId !== null && AUTOMATED.test(actorId)) return { skip: 'automated' };
  if (direction === 'OUTGOING' || actorId?.startsWith('A-')) return { to: 'agent' };
  if (actorId === null || CUSTOMER.test(actorId)) return { to: 'customer' };
  return { skip: `from an unknown kind of actor, ${actorId.slice(0, 40)}` };
}

const isOurApp = ({ clientType, integrationAppId }: RoutableMessage, appId: string | null) =>
  clientType === 'INTEGRATION' && appId !== null && integrationAppId === appId;

/**
 * Returns whether a conversation was assigned to a human: a different, non-empty assignee. Compares the digits after
 * `A-`.
 */
export function isAssignedToHuman(value: string | undefined, aiUserId: string | undefined): boolean {
  const assignee = digitsOf(value);
  return assignee !== undefined && aiUserId !== undefined && assignee !== digitsOf(aiUserId);
}

const digitsOf = (actor: string | undefined) => actor?.match(/^(?:A-)?(\d+)$/)?.[1];
