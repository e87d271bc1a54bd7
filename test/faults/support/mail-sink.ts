import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild, waitUntilReady } from '../../../src/dev/child.ts';
import type { Guard } from '../../../src/dev/guard.ts';
import { canConnect } from '../../../src/dev/ports.ts';
import { type Program, restartable } from './programs.ts';

const PROGRAM = fileURLToPath(new URL('sink.ts', import.meta.url));

/** The behavior of the mail server from now on. */
export interface SinkScript {
  /** Duration of a mail, from its last byte to the response. */
  delayMs?: number;
  /** Accepts every nth mail, but resets the connection instead of responding. */
  resetEvery?: number;
  /** Responses to RCPT for addresses containing a text. */
  recipients?: { match: string; reply: string }[];
  /** Replaces the greeting 220. */
  greeting?: string;
}

export interface SinkMail {
  to: string;
  messageId: string;
  subject: string;
}

export interface MailSink extends Program {
  url: string;
  script(script: SinkScript): void;
  /** Returns all mails ever accepted, across restarts. */
  mails(): SinkMail[];
}

export async function startMailSink(folder: string, port: number, guard: Guard): Promise<MailSink> {
  const [mailFile, scriptFile] = [join(folder, 'mails.ndjson'), join(folder, 'sink-script.json')];
  const script = (content: SinkScript) => writeFileSync(scriptFile, JSON.stringify(content));
  writeFileSync(mailFile, '');
  script({});
  const logFile = join(folder, 'sink.log');
  const program = await restartable(async () => {
    const child = await startChild(process.execPath, [PROGRAM, String(port), mailFile, scriptFile], { logFile, guard });
    await waitUntilReady(child, logFile, () => mustConnect(port), 10_000);
    return child;
  });
  return {
    ...program,
    url: `smtp://127.0.0.1:${port}`,
    script,
    mails: () =>
      readFileSync(mailFile, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
  };
}

async function mustConnect(port: number): Promise<void> {
  if (!(await canConnect('127.0.0.1', port, 1_000))) throw new Error('it does not listen yet');
}
