import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ToolMissing } from '../../test/support/built-tools.ts';
import { ownFolder } from '../support/own-folder.ts';
import { type Finding, median, medianRatio, note, rateFinding, report } from '../support/report.ts';
import { withStack } from '../support/stack.ts';
import { startN8n } from './support/n8n.ts';
import { startOurRuns } from './support/ours.ts';
import { startRestate } from './support/restate.ts';
import { type PeerPlace, type RunsRound, type RunsSide, runRound, timeAlone } from './support/runs.ts';

// Webhook, condition, HTTP call: ours beside Restate's server and n8n, in alternating rounds on one machine.
const WARM_UP_RUNS = 200;
const RUNS = 400;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SINGLE_RUNS = 40;

const { BENCH_PEERS } = process.env;

const PEERS = [
  { name: 'Restate', start: startRestate, minShare: 0.6 },
  { name: 'n8n', start: startN8n, minShare: 8 },
].filter(({ name }) => BENCH_PEERS?.split(',').includes(name) ?? true);

interface Measured {
  side: RunsSide;
  rounds: RunsRound[];
  aloneMs: number;
}

/** Starts a peer, or says why it is skipped. */
async function startPeer({ name, start }: (typeof PEERS)[number], place: PeerPlace): Promise<RunsSide | undefined> {
  mkdirSync(place.folder, { recursive: true });
  try {
    return await start(place);
  } catch (error) {
    if (!(error instanceof ToolMissing)) throw error;
    note(`skipped, as ${name} is not there: ${error.message}`);
    return undefined;
  }
}

async function measureInTurns(sides: RunsSide[]): Promise<Measured[]> {
  const measured = sides.map((side) => ({ side, rounds: [] as RunsRound[], aloneMs: 0 }));
  for (const side of sides) await runRound(side, WARM_UP_RUNS);
  for (let round = 1; round <= ROUNDS; round++)
    for (const { side, rounds } of measured) {
      const one = await runRound(side, RUNS);
      rounds.push(one);
      note(
        `round ${round}, ${side.name}: accepted ${one.accepted.toFixed(0)}/s, done ${one.done.toFixed(0)}/s, CPU a run ${one.cpuMs.toFixed(1)} ms`,
      );
    }
  for (const one of measured) {
    one.aloneMs = await timeAlone(one.side, SINGLE_RUNS);
    note(`${one.side.name}: one alone, request to call ${one.aloneMs.toFixed(1)} ms`);
  }
  return measured;
}

function findingOf(ours: Measured, peer: Measured): Finding {
  const figures = (name: keyof RunsRound) =>
    [ours.rounds.map((round) => round[name]), peer.rounds.map((round) => round[name])] as const;
  const { name } = peer.side;
  const cpu = figures('cpuMs').map((all) => median(all).toFixed(1));
  note(
    `ours / ${name}: accepted ${medianRatio(...figures('accepted')).toFixed(2)}, CPU a run ${cpu.join(' / ')} ms, ` +
      `one alone ${ours.aloneMs.toFixed(1)} / ${peer.aloneMs.toFixed(1)} ms`,
  );
  const minShare = PEERS.find((one) => one.name === name)?.minShare ?? 1;
  return rateFinding(`runs by webhook, done / ${name}`, ...figures('done'), minShare);
}

const { folder, guard } = ownFolder('peers');

await report(() =>
  withStack({ hasTemporal: true }, async (stack) => {
    const sides: RunsSide[] = [];
    try {
      for (const peer of PEERS) {
        const place = { folder: join(folder, peer.name), logFile: join(folder, `${peer.name}.log`), guard };
        const side = await startPeer(peer, place);
        if (side !== undefined) sides.push(side);
      }
      sides.unshift(await startOurRuns(stack));
      const [own, ...others] = await measureInTurns(sides);
      return own === undefined ? [] : others.map((other) => findingOf(own, other));
    } finally {
      for (const { sink } of sides) sink.close();
      guard.seal();
      await guard.close();
    }
  }),
);
