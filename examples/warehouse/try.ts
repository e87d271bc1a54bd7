// Follows events into a file, kills the program in the middle, starts it again, and shows that the file has each once.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… node examples/warehouse/try.ts
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { itemsOf, Switchboard, waitFor } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
const folder = mkdtempSync(join(tmpdir(), 'warehouse-'));
const file = join(folder, 'events.ndjson');
const program = fileURLToPath(new URL('follow.ts', import.meta.url));
const follow = () => spawn(process.execPath, [program, file], { stdio: 'inherit' });

interface Row {
  id: string;
  session_id: string;
}
const rows = (): Row[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    : [];
const rowsOf = (sessionId: string) => rows().filter(({ session_id }) => session_id === sessionId);

/** Stops a program in a way that it cannot notice, or as a supervisor does. */
async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM') {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

const { id: session } = await switchboard.createChatSession({ body: {} });
const say = (text: string) => switchboard.addChatSessionNote({ path: { id: session }, body: { text } });
await say('Before anybody follows');
let child = follow();
try {
  // The first start begins with what has happened already.
  await waitFor(async () => rowsOf(session).length, { until: (count) => count > 0, timeoutMs: 60_000 });
  for (let nth = 0; nth < 20; nth++) await say(`Note ${nth}`);
  await end(child, 'SIGKILL');
  for (let nth = 20; nth < 30; nth++) await say(`Note ${nth}`); // while nobody follows
  child = follow();

  const history = [];
  for await (const item of itemsOf((page) =>
    switchboard.listChatSessionHistory({ path: { id: session }, query: page }),
  ))
    history.push(item.id);
  const last = history.at(-1);
  await waitFor(async () => rowsOf(session).some(({ id }) => id === last), { until: Boolean, timeoutMs: 60_000 });
  const stored = rowsOf(session).map(({ id }) => id);
  if (stored.slice(-history.length).join() !== history.join())
    throw new Error('The file does not have each event once and in order');
  console.log('The file has each event once and in order, the 10 of the interruption too');
} finally {
  await end(child, 'SIGTERM');
  await switchboard.updateChatSession({ path: { id: session }, body: { status: 'closed_resolved' } });
  rmSync(folder, { recursive: true });
}
