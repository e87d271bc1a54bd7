import { elementAt } from '../../collections/checked-access.ts';
import type { Trx } from '../../db/connect.ts';
import {
  canDefer,
  type Deferral,
  deferralOf,
  type EffectiveGates,
  type GateEvaluation,
  recipientDay,
  reserveSlots,
} from './rules.ts';
import {
  countSentOn,
  type GateCandidate,
  type GatedSend,
  lockGateCandidates,
  lockSenderRate,
  upsertSenderRate,
} from './shared.queries.ts';

/**
 * Returns the enrollments to be deferred with a step, with reasons. Transactional mail is never deferred. Sends free to
 * go reserve slots of their sender.
 */
export async function evaluateGates(
  trx: Trx,
  orgId: string,
  send: GatedSend,
  enrollmentIds: string[],
): Promise<GateEvaluation> {
  const { gates, sender } = send;
  if (send.isTransactional || !canDefer(gates)) return { deferrals: new Map(), evaluated: 'all' };
  const candidates = await lockGateCandidates(trx, orgId, send, enrollmentIds);
  const sentThatDay = await countSent(trx, orgId, gates, candidates);
  const deferrals = new Map<string, Deferral>();
  const free: GateCandidate[] = [];
  for (const candidate of candidates) {
    if (candidate.is_begun) continue;
    const deferral = deferralOf(candidate.now, candidate, gates, sentThatDay.get(candidate.contact_id) ?? 0);
    if (deferral === null) free.push(candidate);
    else deferrals.set(candidate.enrollment_id, deferral);
  }
  if (gates.sendsPerMinute !== null && sender !== null) {
    const waiting = free.filter(({ has_slot }) => !has_slot);
    const limit = { sender, perMinute: gates.sendsPerMinute };
    for (const [id, deferral] of await reserveSenderSlots(trx, orgId, limit, waiting)) deferrals.set(id, deferral);
  }
  return { deferrals, evaluated: new Set(candidates.map(({ enrollment_id }) => enrollment_id)) };
}

function countSent(
  trx: Trx,
  orgId: string,
  gates: EffectiveGates,
  candidates: GateCandidate[],
): Promise<Map<string, number>> {
  if (gates.dailyCap === null) return Promise.resolve(new Map());
  const days = candidates.map((candidate) => ({
    contact_id: candidate.contact_id,
    ...recipientDay(candidate.now, candidate, gates),
  }));
  return countSentOn(trx, orgId, days);
}

async function reserveSenderSlots(
  trx: Trx,
  orgId: string,
  { sender, perMinute }: { sender: string; perMinute: number },
  waiting: GateCandidate[],
): Promise<[string, Deferral][]> {
  const [first] = waiting;
  if (first === undefined) return [];
  const { now } = first;
  const { slots, rate } = reserveSlots(now, await lockSenderRate(trx, orgId, sender), perMinute, waiting.length);
  await upsertSenderRate(trx, orgId, sender, rate);
  return waiting.flatMap(({ enrollment_id }, turn): [string, Deferral][] => {
    const until = elementAt(slots, turn);
    if (until <= now) return [];
    const reason = `sends_per_minute: ${sender} sends at most ${perMinute} a minute, and its turns before ${until.toISOString()} are taken`;
    return [[enrollment_id, { gate: 'sends_per_minute', until, reason }]];
  });
}
