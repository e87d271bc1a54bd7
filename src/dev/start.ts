import { mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { compileCacheIn } from './compile-cache.ts';
import { lockFolder } from './lock.ts';
import { onNpmGone } from './npm.ts';
import { readJson } from './settings.ts';
import type { DevJson } from './stack.ts';

const say = (line: string) => console.log(line);
const dataFolder = resolve(process.env.DATA_DIR || '.data');
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {}); // a closed terminal ends this process by SIGHUP

mkdirSync(dataFolder, { recursive: true });
if (!(await lockFolder(dataFolder))) {
  const running = readJson<DevJson>(join(dataFolder, 'dev.json'));
  console.error(`Already running on ${dataFolder}${running ? `: ${running.api}` : ''}`);
  process.exit(1);
}

enableCompileCache(compileCacheIn(dataFolder));
const { startStack } = await import('./stack.ts'); // imported late, because it loads most of the code
const stack = startStack(dataFolder, process.env, say);
let isStopping = false;

const stop = async (exitCode: number) => {
  if (isStopping) return;
  isStopping = true;
  await stack.stop();
  process.exit(exitCode);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!isStopping) say('Stopping');
    void stop(0);
  });
}

onNpmGone(() => void stop(0));

stack.ready.catch((error: Error) => {
  if (!isStopping) console.error(`Could not start: ${error.message}`);
  void stop(1);
});
