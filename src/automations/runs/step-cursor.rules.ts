import type { StepPosition } from './history.queries.ts';

const CURSOR = /^([0-9a-z]{1,9}) ([\w.-]{1,500})$/;

/** Returns the cursor of the steps behind a position. */
export const encodeStepCursor = ({ started_at, path }: StepPosition): string =>
  Buffer.from(`${started_at.getTime().toString(36)} ${path}`, 'utf8').toString('base64url');

/** Returns the position of a cursor, or undefined if the text is not one of our cursors. */
export function decodeStepCursor(cursor: string): StepPosition | undefined {
  const [, at, path] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (at === undefined || path === undefined) return undefined;
  return { started_at: new Date(Number.parseInt(at, 36)), path };
}
