/** Limits how many calls of other systems this process makes at once. */
export interface CallLimit {
  /** Reserves a place for a call of the org, and returns its release. Returns undefined if there is none. */
  reserve(orgId: string): (() => void) | undefined;
}

/** Creates a limit for all orgs together and for each. */
export function createCallLimit({ atOnce, perOrg }: { atOnce: number; perOrg: number }): CallLimit {
  const callsOf = new Map<string, number>();
  let all = 0;
  return {
    reserve(orgId) {
      const own = callsOf.get(orgId) ?? 0;
      if (all >= atOnce || own >= perOrg) return undefined;
      all++;
      callsOf.set(orgId, own + 1);
      return () => {
        all--;
        const remaining = (callsOf.get(orgId) ?? 0) - 1;
        if (remaining > 0) callsOf.set(orgId, remaining);
        else callsOf.delete(orgId);
      };
    },
  };
}
