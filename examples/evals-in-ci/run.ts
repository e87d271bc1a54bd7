// Runs the cases of a file over the draft of the AI's settings, and fails the build if too few of them pass.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… MIN_PASS_SHARE=0.95 node examples/evals-in-ci/run.ts cases.json
// The cases are kept with the code: they are added for the run, and removed after it.
import { readFile } from 'node:fs/promises';
import { type CreateEvalCase, itemsOf, Switchboard, waitFor } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '', MIN_PASS_SHARE = '1' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
const [file = new URL('cases.json', import.meta.url)] = process.argv.slice(2);
const cases: CreateEvalCase[] = JSON.parse(await readFile(file, 'utf8'));
const names = new Set(cases.map(({ name }) => name));

/** Removes the cases by their names, those of a run that was cut short too. */
async function removeCases() {
  for await (const { id, name } of itemsOf((cursor) => switchboard.listEvalCases({ query: { cursor } })))
    if (names.has(name)) await switchboard.deleteEvalCase({ path: { id } });
}

await removeCases();
try {
  for (const body of cases) await switchboard.createEvalCase({ body });
  const { id } = await switchboard.startEvalRun({ body: { settings: 'draft' } });
  const run = await waitFor(() => switchboard.getEvalRun({ path: { id } }), { timeoutMs: 30 * 60_000 });
  for (const { name, state, error, checks } of run.results) {
    if (state === 'passed') continue;
    console.log(`FAILED ${name}${error === null ? '' : `: ${error}`}`);
    for (const { check, passed, expected, got } of checks)
      if (!passed) console.log(`  ${check}: expected ${expected}, got ${got}`);
  }
  const share = run.passed / run.cases;
  const isEnough = run.state === 'done' && share >= Number(MIN_PASS_SHARE);
  console.log(`${run.passed} of ${run.cases} cases passed: ${isEnough ? 'enough' : `below ${MIN_PASS_SHARE}`}`);
  process.exitCode = isEnough ? 0 : 1;
} finally {
  await removeCases();
}
