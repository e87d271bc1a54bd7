import { z } from 'zod';
import type { CallReport } from '../sending.ts';
import { truncated } from '../storable.rules.ts';
import { deliveryIdOf, Text, VapiCall } from './calls.ts';

const MAX_TEXT_LENGTH = 50_000;

const Seconds = z.number().optional().catch(undefined);

/** The used part of a Vapi callback. */
export const VapiReport = z.object({
  type: z.string(),
  status: Text,
  endedReason: Text,
  startedAt: Text,
  endedAt: Text,
  durationSeconds: Seconds,
  destination: z.object({ number: Text, sipUri: Text }).optional().catch(undefined),
  artifact: z.object({ transcript: Text, recordingUrl: Text }).optional().catch(undefined),
  analysis: z.object({ summary: Text }).optional().catch(undefined),
  call: VapiCall,
});
export type VapiReport = z.infer<typeof VapiReport>;

/** Returns a callback's reports about its call. The same report may come more than once. */
export function callReportsOf(report: VapiReport): CallReport[] {
  const { call } = report;
  const common = { providerId: call.id, deliveryId: deliveryIdOf(call), call: describe(report) };
  return momentsOf(report).map((moment) => ({ ...common, moment }));
}

/** The end of a call is announced by both a status and a report. Only the report is used, as it contains more. */
function momentsOf({ type, status, endedReason, call }: VapiReport): CallReport['moment'][] {
  if (type === 'status-update' && status === 'in-progress') return ['phone-call-started'];
  if (type === 'status-update' && status === 'forwarding') return ['pre-voice-call-transfer'];
  if (type === 'transfer-destination-request') return ['pre-voice-call-transfer'];
  if (type === 'transfer-update') return ['voice-call-transferred'];
  if (type !== 'end-of-call-report') return [];
  const isForwarded = (endedReason ?? call.endedReason)?.startsWith('assistant-forwarded-call') === true;
  return isForwarded ? ['voice-call-transferred', 'phone-call-finished'] : ['phone-call-finished'];
}

const describe = (report: VapiReport): CallReport['call'] => ({
  id: report.call.id,
  provider: 'vapi',
  status: report.status ?? report.call.status ?? null,
  ended_reason: report.endedReason ?? report.call.endedReason ?? null,
  started_at: report.startedAt ?? null,
  ended_at: report.endedAt ?? null,
  duration_seconds: report.durationSeconds ?? null,
  transferred_to: report.destination?.number ?? report.destination?.sipUri ?? null,
  transcript: shownText(report.artifact?.transcript),
  transcript_truncated: isTooLong(report.artifact?.transcript),
  summary: shownText(report.analysis?.summary),
  summary_truncated: isTooLong(report.analysis?.summary),
  recording_url: report.artifact?.recordingUrl ?? null,
});

const isTooLong = (text = ''): boolean => text.length > MAX_TEXT_LENGTH;
const shownText = (text: string | undefined): string | null =>
  text === undefined ? null : truncated(text, MAX_TEXT_LENGTH);
