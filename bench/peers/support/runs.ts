import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachConcurrently } from '../../../src/concurrency/limited.ts';
import type { Guard } from '../../../src/dev/guard.ts';
import { processorMsOf } from '../../support/processor-time.ts';
import { median, note } from '../../support/report.ts';

const CONNECTIONS = 20;
/** A pause in which everything finishes the work left by the round before. */
const SETTLE_MS = 1_500;
const PAUSE_MS = 100;
const LIMIT_MS = 300_000;
const ORDER = JSON.stringify({ total: 250 });

/** Something that does the same for each webhook: if its total is above 100, it calls the sink. */
export interface RunsSide {
  name: string;
  webhookUrl: string;
  sink: CallSink;
  /** The processes whose time is counted, with everything below them. */
  pids: number[];
}

/** Where a peer runs. */
export interface PeerPlace {
  /** Its own, and empty. */
  folder: string;
  logFile: string;
  guard: Guard;
}

/** The figures of one round. Rates are of runs a second; the processor time is that of one run, in ms. */
export interface RunsRound {
  accepted: number;
  done: number;
  cpuMs: number;
}

/** An HTTP server that counts the calls of one side. */
export type CallSink = Awaited<ReturnType<typeof startSink>>;

export async function startSink() {
  let taken = 0;
  let onCall = () => {};
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      taken++;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
      onCall();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    taken: () => taken,
    /** Resolves once this many calls have come in all. Rejects after five minutes. */
    untilTaken: (wanted: number) =>
      new Promise<void>((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(`${taken} of ${wanted} calls came`)), LIMIT_MS);
        onCall = () => {
          if (taken < wanted) return;
          clearTimeout(limit);
          resolve();
        };
        onCall();
      }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function post({ webhookUrl }: RunsSide): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(webhookUrl, { method: 'POST', headers, body: ORDER });
  if (!response.ok) throw new Error(`${webhookUrl} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

/** Posts webhooks at 20 connections, and waits for all of their calls. */
export async function runRound(side: RunsSide, runs: number): Promise<RunsRound> {
  const { sink, pids } = side;
  const wanted = sink.taken() + runs;
  const [begun, before] = [performance.now(), processorMsOf(pids)];
  await forEachConcurrently(Array.from({ length: runs }), CONNECTIONS, () => post(side));
  const acceptedMs = performance.now() - begun;
  await sink.untilTaken(wanted);
  const doneMs = performance.now() - begun;
  await sleep(SETTLE_MS);
  if (sink.taken() !== wanted) note(`${side.name}: ${sink.taken() - wanted} calls were made twice`);
  const cpuMs = (processorMsOf(pids) - before) / runs;
  return { accepted: (runs * 1_000) / acceptedMs, done: (runs * 1_000) / doneMs, cpuMs };
}

/** Posts webhooks one after the other. Returns the median time from the request to the call, in ms. */
export async function timeAlone(side: RunsSide, runs: number): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const begun = performance.now();
    const called = side.sink.untilTaken(side.sink.taken() + 1);
    await post(side);
    await called;
    times.push(performance.now() - begun);
    await sleep(PAUSE_MS);
  }
  return median(times);
}
