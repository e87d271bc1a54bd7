import { messageOf } from '../../errors.ts';

/** What a check of the setup has found. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'fault' | 'skipped';
  found: string;
  /** What to do about it. */
  remedy?: string;
}

/** What a check says about itself. */
export type Judgement = Omit<Finding, 'check'>;

export const ok = (found: string): Judgement => ({ state: 'ok', found });
export const warning = (found: string, remedy: string): Judgement => ({ state: 'warning', found, remedy });
export const fault = (found: string, remedy: string): Judgement => ({ state: 'fault', found, remedy });
export const skipped = (found: string): Judgement => ({ state: 'skipped', found });

/** Makes a check. One that fails itself is a fault. */
export async function examine(check: string, remedy: string, judge: () => Promise<Judgement>): Promise<Finding> {
  try {
    return { check, ...(await judge()) };
  } catch (error) {
    return { check, ...fault(messageOf(error), remedy) };
  }
}

const WIDTH = 8;

/** Returns findings as a page of text: one line for each, and one for its remedy. */
export function pageOf(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, state, found, remedy }) => {
    const line = `${state.padEnd(WIDTH)} ${check.padEnd(width)}  ${found}`;
    return remedy === undefined ? [line] : [line, `${' '.repeat(WIDTH + width + 3)}→ ${remedy}`];
  });
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  return [...lines, '', `${count('fault')} faults, ${count('warning')} warnings`].join('\n');
}
