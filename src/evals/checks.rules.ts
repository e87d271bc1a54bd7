/** What a turn has to do. */
export interface Expected {
  cites?: string[] | undefined;
  calls?: { operation_id: string; called: 'always' | 'never' | 'optional' }[] | undefined;
  ends?: string | undefined;
  reason?: string | null | undefined;
  contains?: string[] | undefined;
  not_contains?: string[] | undefined;
  max_cost?: number | undefined;
  max_ms?: number | undefined;
}

/** What a turn has done. */
export interface Observed {
  state: string;
  reason: string | null;
  text: string | null;
  citations: { item_id: string; url: string | null }[];
  calls: { operation_id: string; state: string }[];
  unstubbed: string[];
  cost: number;
  ms: number;
}

export type CheckName = keyof Expected | 'stubs';

export interface CheckResult {
  check: CheckName;
  passed: boolean;
  expected: string;
  got: string;
}

/** The turn has the whole text. */
const MAX_SHOWN = 500;

/** Returns the result of each check of a case. Texts are compared without regard to case and spaces. */
export function evaluateChecks(expected: Expected, turn: Observed): CheckResult[] {
  const { cites = [], calls, contains = [], not_contains = [] } = expected;
  const said = comparable(turn.text ?? '');
  const cited = turn.citations.flatMap(({ item_id, url }) => [item_id, ...(url === null ? [] : [url])]);
  const result = (check: CheckName, passed: boolean, wanted: unknown, got: unknown): CheckResult => ({
    check,
    passed,
    expected: shown(wanted),
    got: shown(got),
  });
  return [
    ...cites.map((item) => result('cites', cited.includes(item), item, cited)),
    ...(calls === undefined ? [] : callResults(calls, turn.calls, result)),
    ...(expected.ends === undefined ? [] : [result('ends', turn.state === expected.ends, expected.ends, turn.state)]),
    ...(expected.reason === undefined
      ? []
      : [result('reason', turn.reason === expected.reason, expected.reason, turn.reason)]),
    ...contains.map((text) => result('contains', said.includes(comparable(text)), text, turn.text)),
    ...not_contains.map((text) => result('not_contains', !said.includes(comparable(text)), text, turn.text)),
    ...(expected.max_cost === undefined
      ? []
      : [result('max_cost', turn.cost <= expected.max_cost, expected.max_cost, turn.cost)]),
    ...(expected.max_ms === undefined ? [] : [result('max_ms', turn.ms <= expected.max_ms, expected.max_ms, turn.ms)]),
    ...turn.unstubbed.map((action) => result('stubs', false, `a stub of ${action}`, 'none')),
  ];
}

/** Where a case lists calls, an action that it does not list must not be called. A refused call is none. */
function callResults(
  wanted: NonNullable<Expected['calls']>,
  calls: Observed['calls'],
  result: (check: 'calls', passed: boolean, wanted: string, got: string[]) => CheckResult,
): CheckResult[] {
  const made = [...new Set(calls.filter(({ state }) => state !== 'refused').map(({ operation_id }) => operation_id))];
  const listed = new Set(wanted.map(({ operation_id }) => operation_id));
  return [
    ...wanted.map(({ operation_id, called }) =>
      result(
        'calls',
        called === 'optional' || made.includes(operation_id) === (called === 'always'),
        `${operation_id}: ${called}`,
        made,
      ),
    ),
    ...made
      .filter((operation) => !listed.has(operation))
      .map((operation) => result('calls', false, `${operation}: never`, made)),
  ];
}

const comparable = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

const shown = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, MAX_SHOWN).toWellFormed();
