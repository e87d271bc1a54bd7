// Runs the cases of a file over the draft of the AI's settings, and fails the build if too few of them pass.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… MIN_PASS_SHARE=0.95 node examples/evals-in-ci/run.ts cases.json
// The cases are kept with the code: they are added for the run, and removed after it. The organization's other cases run
// too, but do not count. OWNER names the repository, so that only its own cases are removed.
import { readFile } from 'node:fs/promises';
import { type CreateEvalCase, itemsOf, Switchboard, waitFor } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '', MIN_PASS_SHARE = '1', OWNER = 'evals-in-ci' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
const [file = new URL('cases.json', import.meta.url)] = process.argv.slice(2);
const cases: CreateEvalCase[] = JSON.parse(await readFile(file, 'utf8'));
const prefix = `[${OWNER}] `;

/** Removes the cases that begin with our mark, those of a run that was cut short too. */
async function removeCases() {
  for await (const { id, name } of itemsOf((page) => switchboard.listEvalCases({ query: page })))
    if (name.startsWith(prefix)) await switchboard.deleteEvalCase({ path: { id } });
}

await removeCases();
try {
  for (const body of cases) await switchboard.createEvalCase({ body: { ...body, name: prefix + body.name } });
  const { id } = await switchboard.startEvalRun({ body: { settings: 'draft' } });
  const run = await waitFor(() => switchboard.getEvalRun({ path: { id } }), { timeoutMs: 30 * 60_000 });
  const own = run.results.filter(({ name }) => name.startsWith(prefix));
  for (const { name, state, error, checks } of own) {
    if (state === 'passed') continue;
    console.log(`FAILED ${name.slice(prefix.length)}${error === null ? '' : `: ${error}`}`);
    for (const { check, passed, expected, got } of checks)
      if (!passed) console.log(`  ${check}: expected ${expected}, got ${got}`);
  }
  const passed = own.filter(({ state }) => state === 'passed').length;
  const isEnough = run.state === 'done' && passed / cases.length >= Number(MIN_PASS_SHARE);
  console.log(`${passed} of ${cases.length} cases passed: ${isEnough ? 'enough' : `below ${MIN_PASS_SHARE}`}`);
  process.exitCode = isEnough ? 0 : 1;
} finally {
  await removeCases();
}
