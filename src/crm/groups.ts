import { unavailable } from '../errors.ts';

export interface GroupLimits {
  /** Groups of one org that are under way. */
  atOnce: number;
  /** Items of a group. */
  together: number;
  /** Items of one org that may wait for the next group. */
  waiting: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface Line<Item, Result> {
  underWay: number;
  next: Waiting<Item, Result>[];
}

/**
 * Has what comes in for an org while it is busy done together, in the order in which it came: a flood makes groups larger, and takes no other
 * org's connections. An item never joins a group that has begun. Throws unavailable where too many wait. Counts within this process.
 */
export function inGroups<Item, Result>(
  limits: GroupLimits,
  work: (orgId: string, items: Item[]) => Promise<Result[]>,
): (orgId: string, item: Item) => Promise<Result> {
  const lines = new Map<string, Line<Item, Result>>();

  const workOff = async (orgId: string, line: Line<Item, Result>) => {
    line.underWay++;
    while (line.next.length > 0) {
      const group = line.next.splice(0, limits.together);
      try {
        const items = group.map(({ item }) => item);
        const results = await work(orgId, items);
        for (const [nth, { resolve }] of group.entries()) resolve(results[nth] as Result);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    if (--line.underWay === 0) lines.delete(orgId);
  };

  return (orgId, item) =>
    new Promise((resolve, reject) => {
      const line = lines.get(orgId) ?? { underWay: 0, next: [] };
      lines.set(orgId, line);
      if (line.next.length >= limits.waiting)
        return reject(unavailable('Too much is under way for this organization: try again soon'));
      line.next.push({ item, resolve, reject });
      if (line.underWay < limits.atOnce) void workOff(orgId, line);
    });
}
