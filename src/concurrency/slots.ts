import { TooManyRequests } from '../errors.ts';

const RETRY_SECONDS = 5;

/** Creates the slots of a process for requests that ask models: so many in all, and of one org. */
export function createSlots({ total, perOrg, what }: { total: number; perOrg: number; what: string }) {
  const taken = new Map<string, number>();
  let sum = 0;
  return {
    /** Does the work in a slot of the org. Throws TooManyRequests if none is free. */
    async use<Result>(orgId: string, work: () => Promise<Result>): Promise<Result> {
      const own = taken.get(orgId) ?? 0;
      if (own >= perOrg || sum >= total)
        throw new TooManyRequests(`Too many ${what} are in progress: wait until one has ended`, RETRY_SECONDS, {
          code: 'too_many_at_once',
          limit: what,
        });
      taken.set(orgId, own + 1);
      sum++;
      try {
        return await work();
      } finally {
        sum--;
        const remaining = (taken.get(orgId) ?? 1) - 1;
        if (remaining > 0) taken.set(orgId, remaining);
        else taken.delete(orgId);
      }
    },
  };
}
