import type { Trx } from '../db/connect.ts';
import {
  type Candidate,
  countSentOn,
  type GatedSend,
  lockCandidates,
  lockSenderRate,
  saveSenderRate,
} from './gates.queries.ts';
import {
  type EffectiveGates,
  type Hold,
  holdOf,
  type Judgement,
  mayHold,
  recipientDay,
  reserveSlots,
} from './gates.rules.ts';

/** Which enrollments must wait with a step, and why. Transactional mail waits for nothing. Sends that may go take their turn of the sender. */
export async function judge(trx: Trx, orgId: string, send: GatedSend, enrollmentIds: string[]): Promise<Judgement> {
  const { gates, sender } = send;
  if (send.isTransactional || !mayHold(gates)) return { holds: new Map(), judged: 'all' };
  const candidates = await lockCandidates(trx, orgId, send, enrollmentIds);
  const sentThatDay = await countSent(trx, orgId, gates, candidates);
  const holds = new Map<string, Hold>();
  const free: Candidate[] = [];
  for (const candidate of candidates) {
    if (candidate.is_begun) continue;
    const hold = holdOf(candidate.now, candidate, gates, sentThatDay.get(candidate.contact_id) ?? 0);
    if (hold === null) free.push(candidate);
    else holds.set(candidate.enrollment_id, hold);
  }
  if (gates.sendsPerMinute !== null && sender !== null) {
    const waiting = free.filter(({ has_slot }) => !has_slot);
    for (const [id, hold] of await takeTurns(trx, orgId, sender, gates.sendsPerMinute, waiting)) holds.set(id, hold);
  }
  return { holds, judged: new Set(candidates.map(({ enrollment_id }) => enrollment_id)) };
}

function countSent(
  trx: Trx,
  orgId: string,
  gates: EffectiveGates,
  candidates: Candidate[],
): Promise<Map<string, number>> {
  if (gates.dailyCap === null) return Promise.resolve(new Map());
  const days = candidates.map((candidate) => ({
    contact_id: candidate.contact_id,
    ...recipientDay(candidate.now, candidate, gates),
  }));
  return countSentOn(trx, orgId, days);
}

async function takeTurns(
  trx: Trx,
  orgId: string,
  sender: string,
  perMinute: number,
  waiting: Candidate[],
): Promise<[string, Hold][]> {
  const [first] = waiting;
  if (first === undefined) return [];
  const { now } = first;
  const { slots, rate } = reserveSlots(now, await lockSenderRate(trx, orgId, sender), perMinute, waiting.length);
  await saveSenderRate(trx, orgId, sender, rate);
  return waiting.flatMap(({ enrollment_id }, turn): [string, Hold][] => {
    const until = slots[turn] as Date;
    if (until <= now) return [];
    const reason = `sends_per_minute: ${sender} sends at most ${perMinute} a minute, and its turns before ${until.toISOString()} are taken`;
    return [[enrollment_id, { gate: 'sends_per_minute', until, reason }]];
  });
}
