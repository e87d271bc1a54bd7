/** One number of ours beside the number it is measured against. */
export interface Finding {
  name: string;
  subject: string;
  baseline: string;
  ratio: string;
  target: string;
  isMet: boolean;
}

const HEADINGS = ['measurement', 'subject', 'baseline', 'ratio', 'target', ''];

/** The findings as a table. */
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

/** Runs a bench as a program: tells its findings to whoever started it, else prints them. Exit code 1 when a target is missed. */
export async function report(measure: () => Promise<Finding[]>): Promise<void> {
  const findings = await measure();
  if (process.send === undefined) console.log(`\n${tableOf(findings)}`);
  else process.send(findings);
  process.exitCode = findings.every(({ isMet }) => isMet) ? 0 : 1;
}

/** A line about what is being measured, apart from the table. */
export const note = (line: string): void => console.log(`  ${line}`);

/** The median of the rounds' own ratios, so that a slow minute of the machine weighs on both sides. */
export const medianRatio = (subject: number[], baseline: number[]): number =>
  median(subject.map((rate, round) => rate / (baseline[round] ?? 0)));

/** A finding about rates, of rounds in turns. */
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

/** A finding about times: at most `atMost` times the baseline. */
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

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
