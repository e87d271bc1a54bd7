import { createInterface } from 'node:readline';
import { endProcess } from './processes.ts';

// Each line lists all processes to guard. The stream closes when the starting process ends, for any reason.
let guarded: { pid: number; signal: NodeJS.Signals }[] = [];
for await (const line of createInterface({ input: process.stdin })) guarded = JSON.parse(line);
await Promise.all(guarded.map(({ pid, signal }) => endProcess(pid, signal, 10_000)));
