import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ToolMissing } from '../../test/support/built-tools.ts';
import { ownFolder } from '../support/own-folder.ts';
import { startProgram } from '../support/processes.ts';
import type { CampaignRound } from '../support/programs/mail-campaign.ts';
import { type Finding, median, medianRatio, note, rateFinding, report } from '../support/report.ts';
import { type PeerCampaign, startListmonk } from './support/listmonk.ts';

// One e-mail to 4,000 contacts: ours beside listmonk, in alternating rounds on one machine, each with its own sink.
const CONTACTS = 4_000;
const WARM_UP_CONTACTS = 500;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const MIN_SHARE = 0.6;

const { folder, guard } = ownFolder('peers');
const startOwn = (file: string) =>
  startProgram(import.meta.resolve(file), {}, { logFile: join(folder, 'bench.log'), guard });

const cpuOf = ({ worker, temporal, postgres }: CampaignRound) => worker + temporal + postgres;

async function startPeer() {
  const sink = await startOwn('../support/programs/smtp-sink.ts');
  let taken = 0;
  const place = { folder: join(folder, 'listmonk'), logFile: join(folder, 'listmonk.log'), guard };
  mkdirSync(place.folder);
  const listmonk = await startListmonk(place, {
    smtpUrl: await sink.ask<string>('url'),
    isMailTaken: async () => (await sink.ask<number>('taken')) > taken,
  });
  return async (contacts: number): Promise<PeerCampaign> => {
    const campaign = await listmonk.run(contacts);
    taken += contacts;
    if ((await sink.ask<number>('taken')) !== taken) throw new Error('the sink received another number of mails');
    return campaign;
  };
}

async function measure(runPeer: (contacts: number) => Promise<PeerCampaign>): Promise<Finding[]> {
  const program = await startOwn('../support/programs/mail-campaign.ts');
  const runOurs = (contacts: number) => program.ask<CampaignRound>('run', { contacts });
  await runOurs(WARM_UP_CONTACTS);
  await runPeer(WARM_UP_CONTACTS);
  const [ours, theirs]: [CampaignRound[], PeerCampaign[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round++) {
    const [own, peer] = [await runOurs(CONTACTS), await runPeer(CONTACTS)];
    ours.push(own);
    theirs.push(peer);
    note(
      `round ${round}: ours ${own.rate.toFixed(0)}/s, CPU a mail ${cpuOf(own).toFixed(2)} ms; ` +
        `listmonk ${peer.rate.toFixed(0)}/s, ${peer.rateOnceRunning.toFixed(0)}/s once it runs, ${peer.cpuMs.toFixed(2)} ms`,
    );
  }
  await program.ask('stop').catch(() => undefined);
  const rates = ours.map(({ rate }) => rate);
  const cpu = [median(ours.map(cpuOf)), median(theirs.map(({ cpuMs }) => cpuMs))];
  const running = theirs.map(({ rateOnceRunning }) => rateOnceRunning);
  note(
    `ours / listmonk: CPU a mail ${cpu.map((ms) => ms.toFixed(2)).join(' / ')} ms, ` +
      `rate once listmonk runs ${medianRatio(rates, running).toFixed(2)}`,
  );
  const fromStart = theirs.map(({ rate }) => rate);
  return [rateFinding('mails of a campaign, from its start / listmonk', rates, fromStart, MIN_SHARE)];
}

await report(async () => {
  try {
    return await measure(await startPeer());
  } catch (error) {
    if (!(error instanceof ToolMissing)) throw error;
    note(`skipped, as listmonk is not there: ${error.message}`);
    return [];
  } finally {
    guard.seal();
    await guard.close();
  }
});
