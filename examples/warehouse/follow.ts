// Appends what happens in conversations to a file of NDJSON, each event once and in order, until it is stopped or killed.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… node examples/warehouse/follow.ts events.ndjson
// It begins with those of the last thirty days. Started again, it continues after the last event of the file.
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { eventPages, liveEvents, Switchboard } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
const [file = 'events.ndjson'] = process.argv.slice(2);
const cursorFile = `${file}.cursor`;

/** The last event that is safely in the file, and how long the file was with it. */
interface Place {
  after: string | undefined;
  bytes: number;
}

const place: Place = existsSync(cursorFile)
  ? JSON.parse(readFileSync(cursorFile, 'utf8'))
  : { after: undefined, bytes: existsSync(file) ? statSync(file).size : 0 };
const events = openSync(file, 'a');
place.bytes = Math.min(place.bytes, fstatSync(events).size); // the file may have been moved away since
ftruncateSync(events, place.bytes); // what was written after the cursor comes again

/** Moves the cursor behind what the file has: first the events are on the disk, then the cursor. */
function store() {
  fsyncSync(events);
  writeFileSync(`${cursorFile}.new`, JSON.stringify(place), { flush: true });
  renameSync(`${cursorFile}.new`, cursorFile);
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
const { signal } = stop;
// Pages first: they have what happened before the stream is connected, at the first start too.
for await (const { items, next } of eventPages(switchboard, { after: place.after, signal })) {
  for (const { data } of items) place.bytes += writeSync(events, `${JSON.stringify(data)}\n`);
  place.after = next;
  store();
}
for await (const { id, data } of liveEvents(switchboard, { after: place.after, signal })) {
  if (id === undefined) continue; // such as what the AI is doing right now: the history does not keep it
  place.bytes += writeSync(events, `${JSON.stringify(data)}\n`);
  place.after = id;
  store(); // with many events a second, store the cursor once a second instead
}
closeSync(events);
