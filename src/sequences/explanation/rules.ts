import type { DeliveryStatus } from '../../deliveries/contract.ts';
import type { StepState } from '../enrollment/explanation.rules.ts';
import type { SequenceStatus } from '../table.ts';

type CheckState = 'ok' | 'waits' | 'stops';

interface Finding<Name extends string> {
  check: Name;
  state: CheckState;
  says: string;
  at: Date | null;
}

interface StepFacts {
  id: string;
  index: number | null;
  status: StepState;
  delivery: { status: DeliveryStatus; reason: string | null; sent_at: Date | null } | null;
  due_at: Date | null;
}

/** All that decides whether a contact gets the messages of a sequence. */
export interface Facts {
  sequence: {
    status: SequenceStatus;
    paused_at: Date | null;
    paused_reason: string | null;
    canceled_at: Date | null;
    ended_at: Date | null;
    started_at: Date | null;
    is_continuous: boolean;
  };
  isMatching: boolean;
  /** Contacts of an open run are still being enrolled. */
  isEnrolling: boolean;
  enrollment:
    | {
        status: 'active' | 'complete' | 'canceled' | 'exited';
        exit_reason: string | null;
        created_at: Date;
        ended_at: Date | null;
        steps: StepFacts[];
      }
    | undefined;
  isBlocked: boolean;
  /** What keeps the next step from being sent now. */
  eligibility: { status: string; reason: string | null; gate: string | null } | undefined;
  /** What defers the next step. */
  deferral: { gate: string | null; reason: string | null; until: Date } | undefined;
  /** The latest delivery, with the provider's last words. */
  latest: { index: number | null; status: DeliveryStatus; answer: string | null; updated_at: Date } | undefined;
  /** A command for the sequence's workflow that has not reached Temporal for some time. */
  command: { attempts: number; available_at: Date } | undefined;
}

type CheckName =
  | 'sequence'
  | 'audience'
  | 'enrollment'
  | 'block'
  | 'suppression'
  | 'channel'
  | 'gate'
  | 'delivery'
  | 'command';
type Check = Finding<CheckName>;

const check = (name: CheckName, state: CheckState, says: string, at: Date | null = null): Check => ({
  check: name,
  state,
  says,
  at,
});

/** Returns what each part has to say, in the order in which they decide. */
export const checksOf = (facts: Facts): Check[] => [
  sequenceCheck(facts.sequence),
  audienceCheck(facts),
  enrollmentCheck(facts),
  check('block', facts.isBlocked ? 'stops' : 'ok', facts.isBlocked ? 'The contact is blocked' : 'Not blocked'),
  suppressionCheck(facts),
  channelCheck(facts),
  gateCheck(facts),
  deliveryCheck(facts),
  commandCheck(facts),
];

function sequenceCheck({ status, ...sequence }: Facts['sequence']): Check {
  switch (status) {
    case 'active':
      return check('sequence', 'ok', 'The sequence is active', sequence.started_at);
    case 'paused':
      return sequence.paused_reason === null
        ? check('sequence', 'waits', 'The sequence is paused: resume it', sequence.paused_at)
        : check('sequence', 'waits', `The sequence has paused itself: ${sequence.paused_reason}`, sequence.paused_at);
    case 'pending':
      return check('sequence', 'waits', 'The sequence has not been started');
    case 'canceled':
      return check('sequence', 'stops', 'The sequence is canceled', sequence.canceled_at);
    case 'complete':
      return check('sequence', 'stops', 'The sequence is complete', sequence.ended_at);
  }
}

const audienceCheck = ({ isMatching, enrollment }: Facts): Check => {
  if (isMatching) return check('audience', 'ok', 'The contact matches the filter');
  if (enrollment === undefined) return check('audience', 'stops', "The contact does not match the sequence's filter");
  return check('audience', 'ok', 'The contact no longer matches the filter, which alone ends no enrollment');
};

function enrollmentCheck({ enrollment, ...facts }: Facts): Check {
  if (enrollment === undefined)
    return check('enrollment', facts.isEnrolling ? 'waits' : 'stops', whyNotEnrolled(facts));
  const { status, exit_reason, created_at, ended_at } = enrollment;
  switch (status) {
    case 'active':
      return check('enrollment', 'ok', 'The contact is enrolled', created_at);
    case 'complete':
      return check('enrollment', 'ok', 'The contact has passed the last step', ended_at);
    case 'canceled':
      return check('enrollment', 'stops', 'The enrollment was canceled', ended_at);
    case 'exited':
      return check(
        'enrollment',
        'stops',
        `The contact has left the sequence: ${exit_reason ?? 'no reason is known'}`,
        ended_at,
      );
  }
}

function whyNotEnrolled({ sequence, isMatching, isEnrolling }: Omit<Facts, 'enrollment'>): string {
  if (!isMatching) return 'The contact is not enrolled, as it does not match the filter';
  if (sequence.status === 'pending') return 'Contacts are enrolled when the sequence is started';
  if (sequence.status === 'canceled' || sequence.status === 'complete')
    return 'The sequence ended without this contact';
  if (isEnrolling) return 'Contacts are being enrolled now';
  return sequence.is_continuous
    ? 'The contact matched before the sequence began, or has come just now. The sequence enrolls contacts who begin to match: add this one by hand'
    : 'The contact began to match after the sequence had enrolled its contacts';
}

const SUPPRESSED = 'suppressed';
const SUPPRESSIONS: Record<string, string> = {
  manual: 'The address was suppressed by hand',
  unsubscribed: 'The contact unsubscribed',
  bounced: 'The address bounced before',
};
const saySuppression = (reason: string | null): string =>
  SUPPRESSIONS[reason ?? ''] ?? `The address is suppressed: ${reason ?? ''}`;
const FAILING = 'failed';

const suppressionCheck = ({ eligibility }: Facts): Check =>
  eligibility?.status === SUPPRESSED
    ? check('suppression', 'stops', saySuppression(eligibility.reason))
    : check('suppression', 'ok', 'The address is not suppressed');

const channelCheck = ({ eligibility, isBlocked }: Facts): Check => {
  const { status, reason, gate } = eligibility ?? { status: 'sending', reason: null, gate: null };
  const hasNoAddress = status === 'skipped' && gate === null && !isBlocked;
  return status === FAILING || hasNoAddress
    ? check('channel', 'stops', capitalized(reason ?? 'the channel cannot send'))
    : check('channel', 'ok', 'The channel can reach the contact');
};

const gateCheck = ({ eligibility, deferral }: Facts): Check => {
  if (eligibility?.gate != null)
    return check('gate', 'stops', `A sending limit ends the enrollment: ${eligibility.reason ?? ''}`);
  if (deferral === undefined) return check('gate', 'ok', 'No sending limit holds a message back');
  const says = deferral.reason ?? 'no reason is known';
  return deferral.gate === null
    ? check('gate', 'waits', `The message is tried again: ${says}`, deferral.until)
    : check('gate', 'waits', `A sending limit holds the message back: ${says}`, deferral.until);
};

function deliveryCheck({ latest }: Facts): Check {
  if (latest === undefined) return check('delivery', 'ok', 'Nothing was sent or tried yet');
  const { status, answer, updated_at } = latest;
  const words = answer === null ? '' : `. The provider said: ${answer}`;
  const state = isOver(status) && !isSent(status) ? 'stops' : 'ok';
  return check('delivery', state, `The latest message${ofStep(latest)} is ${status}${words}`, updated_at);
}

const ofStep = ({ index }: { index: number | null }): string => (index === null ? '' : ` (step ${index + 1})`);

const commandCheck = ({ command }: Facts): Check =>
  command === undefined
    ? check('command', 'ok', 'Nothing waits for Temporal')
    : check(
        'command',
        'waits',
        `The sequence's workflow was not reached yet, after ${command.attempts} tries`,
        command.available_at,
      );

const SENT: DeliveryStatus[] = ['accepted', 'sent', 'delivered', 'read'];
const OPEN: DeliveryStatus[] = ['held', 'queued', 'sending'];
const isSent = (status: DeliveryStatus): boolean => SENT.includes(status);
const isOver = (status: DeliveryStatus): boolean => !OPEN.includes(status);

export interface StepSaying {
  id: string;
  index: number | null;
  says: string;
  at: Date | null;
  /** `stopped`: it has an outcome, and was not sent. `ended`: the enrollment ended before it. */
  outcome: 'sent' | 'stopped' | 'ended' | 'waiting';
}

/** Returns what has become of a step, or what is expected of it. */
export function sayStep({ id, index, status, delivery, due_at }: StepFacts): StepSaying {
  const said = (outcome: StepSaying['outcome'], says: string, at: Date | null = null) => ({
    id,
    index,
    says,
    at,
    outcome,
  });
  switch (status) {
    case 'done':
      return delivery !== null && isSent(delivery.status)
        ? said('sent', SENT_WORDS[delivery.status] ?? 'Sent', delivery.sent_at)
        : said('stopped', notSent(delivery));
    case 'sending':
      return said('waiting', 'It is being sent now');
    case 'waiting':
      return said('waiting', `It waits: ${delivery?.reason ?? 'it is tried again'}`, due_at);
    case 'next':
      return said('waiting', 'It comes next', due_at);
    case 'not_reached':
      return said('waiting', 'It comes after the steps before it');
    case 'passed':
      return said('stopped', 'Left out: the contact was past it when it was added, or it was deleted');
    case 'canceled':
      return said('ended', 'The enrollment ended before it');
  }
}

const SENT_WORDS: Partial<Record<DeliveryStatus, string>> = { delivered: 'Delivered', read: 'Read' };

function notSent(delivery: StepFacts['delivery']): string {
  const reason = delivery?.reason == null ? '' : `: ${delivery.reason}`;
  if (delivery?.status === SUPPRESSED) return saySuppression(delivery.reason);
  if (delivery?.status === 'unknown') return `Nobody knows whether it was sent${reason}`;
  return `${capitalized(delivery?.status ?? 'not sent')}${reason}`;
}

const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** What can keep a step from being sent, by its state, the most important first. */
const HINDRANCES: Record<StepSaying['outcome'], CheckName[]> = {
  sent: [],
  stopped: [],
  ended: ['enrollment', 'sequence'],
  waiting: ['sequence', 'block', 'suppression', 'channel', 'gate', 'command'],
};

interface Answer {
  verdict: 'not_enrolled' | 'stopped' | 'waiting' | 'sent';
  summary: string;
  at: Date | null;
}

/** Returns the answer in a sentence: about the first step that the contact did not get. */
export function answerOf({ enrollment }: Facts, checks: Check[], steps: StepSaying[]): Answer {
  const find = (...names: CheckName[]) =>
    names.flatMap((name) => checks.filter((one) => one.check === name && one.state !== 'ok'))[0];
  if (enrollment === undefined) {
    const because = find('audience', 'sequence', 'enrollment');
    return { verdict: 'not_enrolled', summary: because?.says ?? '', at: because?.at ?? null };
  }
  const first = steps.find(({ outcome }) => outcome !== 'sent');
  if (first === undefined) return { verdict: 'sent', summary: 'The contact got all messages', at: null };
  const step = first.index === null ? 'A deleted step' : `Step ${first.index + 1}`;
  const hindrance = find(...HINDRANCES[first.outcome]);
  const verdict = first.outcome === 'waiting' && hindrance?.state !== 'stops' ? 'waiting' : 'stopped';
  const { says, at } = hindrance ?? first;
  return { verdict, summary: `${step}: ${says}`, at };
}
