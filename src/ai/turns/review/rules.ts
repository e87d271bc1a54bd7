/** The facts for the AI's permission to answer in a session now. */
export interface TurnPermission {
  isAutopilotOn: boolean;
  isPaused: boolean;
  /** In Assist Mode the AI writes drafts, also in sessions with people. */
  isAssisting: boolean;
  isOpen: boolean;
  isBlocked: boolean;
  /** Whether a person has replied after the contact's last message. */
  isReplied: boolean;
}

/** Returns why the AI may not answer, or undefined if it may. */
export function refusalOf(facts: TurnPermission): 'off' | 'blocked' | 'people_have_it' | undefined {
  if (!facts.isAutopilotOn) return 'off';
  if (facts.isBlocked) return 'blocked';
  if (!facts.isOpen || facts.isReplied) return 'people_have_it';
  return facts.isPaused && !facts.isAssisting ? 'people_have_it' : undefined;
}

/** Returns whether people have left a session to the AI, or have it write drafts for them. */
export const isWithAi = (session: {
  status: string;
  ai_state: 'on' | 'off' | 'paused';
  assist_mode: boolean;
}): boolean => session.status === 'open' && (session.ai_state !== 'paused' || session.assist_mode);

/**
 * Returns the milliseconds until the contact is taken to have finished writing: some quiet after the last message, but
 * no longer than `capSeconds` after the first.
 */
export const dueInMs = (
  { firstAgeMs, lastAgeMs }: { firstAgeMs: number; lastAgeMs: number },
  { quietSeconds, capSeconds }: { quietSeconds: number; capSeconds: number },
): number => Math.max(0, Math.round(Math.min(quietSeconds * 1_000 - lastAgeMs, capSeconds * 1_000 - firstAgeMs)));
