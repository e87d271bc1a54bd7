import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ownFolder } from './support/own-folder.ts';
import { type Program, startProgram } from './support/processes.ts';
import type { CampaignRound } from './support/programs/mail-campaign.ts';
import { type Finding, limitFinding, median, note, rateFinding, report } from './support/report.ts';

// One e-mail to 4,000 contacts through one SMTP sink: mails a second, and the processor time of a mail by program. With
// BENCH_BASE, the folder of another build that has this bench too, rounds of both alternate.
const CONTACTS = 4_000;
const WARM_UP_CONTACTS = 500;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const { BENCH_BASE } = process.env;
const MAX_CPU_MS = 1.2;
const MIN_RATIO = 4;
const OWN_FOLDER = resolve(import.meta.dirname, '..');

type Side = { name: string; program: Program; rounds: CampaignRound[] };

const { folder, guard } = ownFolder('mail');

async function startSide(name: string, root: string): Promise<Side> {
  const file = pathToFileURL(join(root, 'bench/support/programs/mail-campaign.ts')).href;
  const program = await startProgram(file, {}, { logFile: join(folder, `${name}.log`), guard });
  await program.ask('run', { contacts: WARM_UP_CONTACTS });
  return { name, program, rounds: [] };
}

async function runRound({ name, program, rounds }: Side): Promise<void> {
  const round = await program.ask<CampaignRound>('run', { contacts: CONTACTS });
  rounds.push(round);
  note(`${name}: ${describe(round)}; load ${loadavg()[0]?.toFixed(1)}`);
}

const totalOf = ({ worker, temporal, postgres }: CampaignRound) => worker + temporal + postgres;

const describe = (round: CampaignRound): string =>
  `${round.rate.toFixed(0)}/s, CPU a mail ${totalOf(round).toFixed(2)} ms (worker ${round.worker.toFixed(2)}, Temporal ` +
  `${round.temporal.toFixed(2)}, Postgres ${round.postgres.toFixed(2)}), ${round.commits.toFixed(2)} commits a mail`;

const cpuFinding = ({ rounds }: Side): Finding => {
  const cpuMs = median(rounds.map(totalOf));
  return limitFinding('CPU of a mail in a campaign', {
    subject: `${cpuMs.toFixed(2)} ms`,
    target: `≤ ${MAX_CPU_MS} ms`,
    isMet: cpuMs <= MAX_CPU_MS,
  });
};

await report(async () => {
  const own = await startSide('this build', OWN_FOLDER);
  const base = BENCH_BASE === undefined ? undefined : await startSide('the other', resolve(BENCH_BASE));
  for (let round = 1; round <= ROUNDS; round++) {
    await runRound(own);
    if (base !== undefined) await runRound(base);
  }
  for (const side of [own, base]) await side?.program.ask('stop').catch(() => undefined);
  for (const side of [own, base]) while (side && existsSync(`/proc/${side.program.pid}`)) await sleep(50);
  await guard.close();
  const rates = (side: Side) => side.rounds.map(({ rate }) => rate);
  return [
    cpuFinding(own),
    ...(base === undefined
      ? []
      : [rateFinding('mails of a campaign / the other build', rates(own), rates(base), MIN_RATIO)]),
  ];
});
