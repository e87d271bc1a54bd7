import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor } from '../schemas/actor.ts';
import { ORG_ID, setSpanAttribute } from '../tracing/spans.ts';

/** A request or an activity. Its owner and writer are an org, a partner or the address of an anonymous caller. */
interface Work {
  /** Whose share of the connections is used. */
  owner: string | undefined;
  /** Whose quota is charged with what the work writes. */
  writer: string | undefined;
  /** The country of its org (ISO 3166-1 alpha-2). Phone numbers without a country code are of it. */
  country?: string | undefined;
  /** The org that it is for. The log names it. */
  orgId?: string | undefined;
  /** The id of its request, which the answer has too. The log names it. */
  requestId?: string | undefined;
  /** Who does it. Histories name it. */
  actor?: Actor | undefined;
  /** Who answers for what it changes of an org's settings. The audit names it. */
  auditor?: Auditor | undefined;
}

/** Who changes settings: whoever calls the API, a partner, or the operator at the command line. */
export interface Auditor {
  kind: Actor['kind'] | 'partner' | 'operator';
  id: string | number | null;
  name: string | null;
}

const works = new AsyncLocalStorage<Work>();

/** Calls the function as the work of a request. It has no owner until `setOwner` or `setOrg` is called in it. */
export const runAsRequest = <Result>(requestId: string, call: () => Result): Result =>
  works.run({ owner: undefined, writer: undefined, requestId }, call);

/** Returns the request that all parts of some work follow from, if it is one. */
export function commonRequest(requestIds: (string | null | undefined)[]): string | undefined {
  const [requestId, ...others] = new Set(requestIds);
  return others.length === 0 ? (requestId ?? undefined) : undefined;
}

/** Calls the function as part of the current work that follows from a request, or from none. */
export const runAfterRequest = <Result>(requestId: string | undefined, call: () => Result): Result =>
  works.run({ owner: undefined, writer: undefined, ...works.getStore(), requestId }, call);

/** Calls the function as separate work that writes for an org. It follows from the same request. */
export const runAsWriter = <Result>(orgId: string, call: () => Result): Result =>
  works.run({ owner: undefined, writer: orgId, orgId, requestId: works.getStore()?.requestId }, call);

/**
 * Calls the function as separate work that uses the connections of an org and writes for it. It follows from the same
 * request.
 */
export const runAsOwner = <Result>(orgId: string, call: () => Result): Result =>
  works.run({ owner: orgId, writer: orgId, orgId, requestId: works.getStore()?.requestId }, call);

/** Calls the function as work of nobody, as when it is about several requests. */
export const outsideOfWork = <Result>(call: () => Result): Result => works.exit(call);

/** Sets whose connections the current work uses from now on, and whose quota is charged with what it writes. */
export function setOwner(owner: string, writer = owner): void {
  const work = works.getStore();
  if (work !== undefined) Object.assign(work, { owner, writer });
}

/** Sets the org that the current work is for, also in its span. It uses the org's connections, and writes for it unless told otherwise. */
export function setOrg(orgId: string, writer = orgId): void {
  setOwner(orgId, writer);
  const work = works.getStore();
  if (work !== undefined) work.orgId = orgId;
  setSpanAttribute(ORG_ID, orgId);
}

/** Returns the ids that the log names with each line of the current work. */
export function currentIds(): { requestId?: string | undefined; orgId?: string | undefined } {
  const { requestId, orgId } = works.getStore() ?? {};
  return { requestId, orgId };
}

/** Returns whose share of the connections the current work uses, if it has an owner. */
export const currentOwner = (): string | undefined => works.getStore()?.owner;

/** Returns whose quota is charged with what the current work writes, if it is anybody's. */
export const currentWriter = (): string | undefined => works.getStore()?.writer;

/** Sets the country whose phone numbers the current work takes without a country code. */
export function setCountry(country: string | null): void {
  const work = works.getStore();
  if (work !== undefined) Object.assign(work, { country: country ?? undefined });
}

/** Returns the country whose phone numbers the current work takes without a country code, if there is one. */
export const currentCountry = (): string | undefined => works.getStore()?.country;

/** Sets who does the current work. */
export function setActor(actor: Actor): void {
  const work = works.getStore();
  if (work !== undefined) Object.assign(work, { actor });
}

/** Calls the function as part of the current work that somebody else does. */
export const runAsActor = <Result>(actor: Actor, call: () => Result): Result =>
  works.run({ owner: undefined, writer: undefined, ...works.getStore(), actor }, call);

/** Returns who does the current work, if it is anybody but the product. */
export const currentActor = (): Actor | undefined => works.getStore()?.actor;

/** Sets who answers for what the current work changes of an org's settings. */
export function setAuditor(auditor: Auditor): void {
  const work = works.getStore();
  if (work !== undefined) Object.assign(work, { auditor });
}

/** Calls the function as separate work that somebody answers for. */
export const runAsAuditor = <Result>(auditor: Auditor, call: () => Result): Result =>
  works.run({ owner: undefined, writer: undefined, auditor }, call);

/** Returns who answers for what the current work changes of an org's settings, if it can change them. */
export const currentAuditor = (): Auditor | undefined => works.getStore()?.auditor;
