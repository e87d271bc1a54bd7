import { createInterface } from 'node:readline';
import { endProcess } from './processes.ts';

// Each line names all processes to guard. The stream ends when whoever started them ends, in whatever way.
let guarded: { pid: number; signal: NodeJS.Signals }[] = [];
for await (const line of createInterface({ input: process.stdin })) guarded = JSON.parse(line);
await Promise.all(guarded.map(({ pid, signal }) => endProcess(pid, signal, 10_000)));
