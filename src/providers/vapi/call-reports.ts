import { z } from 'zod';
import type { CallEnd, CallReport, SaidInCall } from '../sending.ts';
import { truncated } from '../storable.rules.ts';
import { deliveryIdOf, Text, VapiCall, wasAnswered, wasForwarded, wasTransferLost } from './calls.ts';

const MAX_TEXT_LENGTH = 50_000;

/** More is not added to a session at once. */
const MAX_SAID = 2_000;

const Seconds = z.number().optional().catch(undefined);
const Said = z.object({ role: z.string(), message: Text });
const Recording = z
  .object({ stereoUrl: Text, mono: z.object({ combinedUrl: Text }).optional().catch(undefined) })
  .optional()
  .catch(undefined);
const Artifact = z.object({
  transcript: Text,
  recordingUrl: Text,
  recording: Recording,
  messages: z.array(z.unknown()).optional().catch(undefined),
});
type Artifact = z.infer<typeof Artifact>;

/** The used part of a Vapi callback. */
export const VapiReport = z.object({
  type: z.string(),
  status: Text,
  endedReason: Text,
  startedAt: Text,
  endedAt: Text,
  durationSeconds: Seconds,
  destination: z.object({ number: Text, sipUri: Text }).optional().catch(undefined),
  artifact: Artifact.optional().catch(undefined),
  analysis: z.object({ summary: Text }).optional().catch(undefined),
  call: VapiCall,
});
export type VapiReport = z.infer<typeof VapiReport>;

/** Returns a callback's reports about its call. The same report may come more than once. */
export function callReportsOf(report: VapiReport): CallReport[] {
  const { call } = report;
  const common = { providerId: call.id, deliveryId: deliveryIdOf(call), call: describe(report) };
  return momentsOf(report).map((moment) => ({
    ...common,
    moment,
    ...(moment === 'phone-call-finished' && { end: endOf(report) }),
  }));
}

function endOf(report: VapiReport): CallEnd {
  const said = saidIn(report.artifact);
  return {
    outcome: outcomeOf(reasonOf(report) ?? ''),
    said: said.slice(0, MAX_SAID),
    unsaid: Math.max(0, said.length - MAX_SAID),
  };
}

function outcomeOf(endedReason: string): CallEnd['outcome'] {
  if (wasForwarded(endedReason)) return 'transferred';
  if (wasTransferLost(endedReason)) return 'transfer_lost';
  return wasAnswered(endedReason) ? 'answered' : 'failed';
}

const reasonOf = ({ endedReason, call }: VapiReport): string | undefined => endedReason ?? call.endedReason;
const isForwarded = (report: VapiReport): boolean => wasForwarded(reasonOf(report) ?? '');

const SPEAKERS = new Map<string, SaidInCall['by']>([
  ['bot', 'ai'],
  ['assistant', 'ai'],
  ['AI', 'ai'],
  ['user', 'contact'],
  ['User', 'contact'],
]);
/** What fits into one message. */
const PIECES = /.{1,25000}/gsu;

/** Returns what was said in a call, in order: by its messages, or by its transcript if nobody we know speaks in them. */
function saidIn({ messages = [], transcript = '' }: Partial<Artifact> = {}): SaidInCall[] {
  const said = saidBy(messages.flatMap((message) => Said.safeParse(message).data ?? []));
  if (said.length > 0) return joined(said);
  const lines = transcript.split(/^(?=(?:AI|User): )/m).map((line) => ({
    role: line.slice(0, line.indexOf(': ')),
    message: line.slice(line.indexOf(': ') + 2),
  }));
  return joined(saidBy(lines));
}

const saidBy = (turns: z.infer<typeof Said>[]): SaidInCall[] =>
  turns.flatMap(({ role, message = '' }) => {
    const by = SPEAKERS.get(role);
    return by === undefined ? [] : (message.trim().match(PIECES) ?? []).map((text) => ({ by, text }));
  });

/** Joins what one side said without a pause of the other, as far as it fits into one message. */
function joined(turns: SaidInCall[]): SaidInCall[] {
  const said: SaidInCall[] = [];
  for (const { by, text } of turns) {
    const last = said.at(-1);
    if (last?.by === by && last.text.length + text.length < MAX_TEXT_LENGTH) last.text = `${last.text} ${text}`;
    else said.push({ by, text });
  }
  return said;
}

/** The end of a call is announced by both a status and a report. Only the report is used, as it contains more. */
function momentsOf(report: VapiReport): CallReport['moment'][] {
  const { type, status } = report;
  if (type === 'status-update' && status === 'in-progress') return ['phone-call-started'];
  if (type === 'status-update' && status === 'forwarding') return ['pre-voice-call-transfer'];
  if (type === 'transfer-update') return ['voice-call-transferred'];
  if (type !== 'end-of-call-report') return [];
  return isForwarded(report) ? ['voice-call-transferred', 'phone-call-finished'] : ['phone-call-finished'];
}

/** Returns the platform's data about a call. */
export const describe = (report: VapiReport): CallReport['call'] => ({
  id: report.call.id,
  provider: 'vapi',
  status: report.status ?? report.call.status ?? null,
  ended_reason: reasonOf(report) ?? null,
  started_at: report.startedAt ?? null,
  ended_at: report.endedAt ?? null,
  duration_seconds: report.durationSeconds ?? null,
  transferred_to: report.destination?.number ?? report.destination?.sipUri ?? null,
  transcript: shownText(report.artifact?.transcript),
  transcript_truncated: isTooLong(report.artifact?.transcript),
  summary: shownText(report.analysis?.summary),
  summary_truncated: isTooLong(report.analysis?.summary),
  recording_url: recordingOf(report.artifact),
});

const recordingOf = ({ recordingUrl, recording }: Partial<Artifact> = {}): string | null =>
  recordingUrl ?? recording?.mono?.combinedUrl ?? recording?.stereoUrl ?? null;

const isTooLong = (text = ''): boolean => text.length > MAX_TEXT_LENGTH;
const shownText = (text: string | undefined): string | null =>
  text === undefined ? null : truncated(text, MAX_TEXT_LENGTH);
