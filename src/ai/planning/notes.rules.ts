import type { PlanNote } from './prompt.rules.ts';

/** The outcome of a call in a step's stored form. Programs of several versions read it. */
export type StoredCall =
  | { kind: 'done' | 'failed' | 'unknown' | 'confirm' | 'in_progress'; callId: string; note: string }
  | RefusedCall;

export interface RefusedCall {
  kind: 'refused';
  note: string;
  code: string;
  /** The called server's words about its error. */
  quote?: string;
  /** Whether a server has said something. Without `quote`, the words end the note: so it was stored formerly. */
  isQuoting?: boolean;
}

/** Returns the text about a refused call for a model: our words, and apart from them those of the server. */
export function noteOf({ note, code, quote, isQuoting }: RefusedCall, operationId: string): PlanNote {
  if (quote !== undefined) return { note, said_by_server: quote };
  if (isQuoting !== true) return { note };
  const begin = `${operationId} was ${code}`;
  const status = /^, status \d+/.exec(note.slice(begin.length))?.[0] ?? '';
  const own = `${begin}${status}`;
  return note.startsWith(`${own}: `)
    ? { note: own, said_by_server: note.slice(own.length + 2) }
    : { note: begin, said_by_server: note };
}
