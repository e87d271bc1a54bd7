/** One measurement of ours next to its baseline. */
export interface Finding {
  name: string;
  subject: string;
  baseline: string;
  ratio: string;
  target: string;
  isMet: boolean;
}

const HEADINGS = ['measurement', 'subject', 'baseline', 'ratio', 'target', ''];

/** Returns the findings as a table. */
export function tableOf(findings: Finding[]): string {
  const rows = findings.map((finding) => [
    finding.name,
    finding.subject,
    finding.baseline,
    finding.ratio,
    finding.target,
    finding.isMet ? 'pass' : 'MISS',
  ]);
  const lines = [HEADINGS, ...rows];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

/**
 * Runs a bench as a program. Sends its findings to the parent process, or prints them if there is none. Sets exit code
 * 1 if a target is missed.
 */
export async function report(measure: () => Promise<Finding[]>): Promise<void> {
  const findings = await measure();
  if (process.send === undefined) console.log(`\n${tableOf(findings)}`);
  else process.send(findings);
  process.exitCode = findings.every(({ isMet }) => isMet) ? 0 : 1;
}

/** Prints a line about the measurement, apart from the table. */
export const note = (line: string): void => console.log(`  ${line}`);

/** Returns the value that this many percent of the values do not exceed. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;
}

/** Returns the median of the ratios of each round, so that a slow minute of the machine affects both sides. */
export const medianRatio = (subject: number[], baseline: number[]): number =>
  median(subject.map((rate, round) => rate / (baseline[round] ?? 0)));

/** Returns a finding about rates measured in alternating rounds. */
export function rateFinding(name: string, subject: number[], baseline: number[], atLeast: number): Finding {
  const ratio = medianRatio(subject, baseline);
  return {
    name,
    subject: `${median(subject).toFixed(0)}/s`,
    baseline: `${median(baseline).toFixed(0)}/s`,
    ratio: ratio.toFixed(2),
    target: `≥ ${atLeast}`,
    isMet: ratio >= atLeast,
  };
}

/** Returns a finding about times: at most `atMost` times the baseline. */
export function timeFinding(name: string, subjectMs: number, baselineMs: number, atMost: number): Finding {
  const ratio = subjectMs / baselineMs;
  return {
    name,
    subject: `${subjectMs.toFixed(2)} ms`,
    baseline: `${baselineMs.toFixed(2)} ms`,
    ratio: ratio.toFixed(2),
    target: `≤ ${atMost}`,
    isMet: ratio <= atMost,
  };
}

/** Returns a finding about a measurement without a baseline. */
export const limitFinding = (
  name: string,
  { subject, target, isMet }: Pick<Finding, 'subject' | 'target' | 'isMet'>,
): Finding => ({ name, subject, baseline: '', ratio: '', target, isMet });

/** Returns a finding about the memory of a process. */
export const memoryFinding = (name: string, mb: number, atMostMb: number): Finding =>
  limitFinding(name, { subject: `${mb.toFixed(0)} MB`, target: `≤ ${atMostMb} MB`, isMet: mb <= atMostMb });

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
