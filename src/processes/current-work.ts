import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor } from '../schemas/actor.ts';

/** A request or an activity. Its owner and writer are an org, a partner or the address of an anonymous caller. */
interface Work {
  /** Whose share of the connections is used. */
  owner: string | undefined;
  /** Whose quota is charged with what the work writes. */
  writer: string | undefined;
  /** The country of its org (ISO 3166-1 alpha-2). Phone numbers without a country code are of it. */
  country?: string | undefined;
  /** Who does it. Histories name it. */
  actor?: Actor | undefined;
}

const works = new AsyncLocalStorage<Work>();

/** Calls the function as work of its own. It has no owner until `setOwner` is called in it. */
export const runAsWork = <Result>(call: () => Result): Result =>
  works.run({ owner: undefined, writer: undefined }, call);

/** Calls the function as work of its own that writes for the given writer. */
export const runAsWriter = <Result>(writer: string, call: () => Result): Result =>
  works.run({ owner: undefined, writer }, call);

/** Calls the function as work of its own that uses the connections of an owner and writes for it. */
export const runAsOwner = <Result>(owner: string, call: () => Result): Result =>
  works.run({ owner, writer: owner }, call);

/** Sets whose connections the current work uses from now on, and whose quota is charged with what it writes. */
export function setOwner(owner: string, writer = owner): void {
  const work = works.getStore();
  if (work !== undefined) Object.assign(work, { owner, writer });
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
