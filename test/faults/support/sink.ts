import { appendFileSync, readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SinkMail, SinkScript } from './mail-sink.ts';

/**
 * A mail server in a separate process. It writes each mail to a file before it answers 250, so the accepted mails are
 * known however it ends. It reads the current script for each mail, so a restart changes nothing.
 */
const [port, mailFile, scriptFile] = process.argv.slice(2) as [string, string, string];
const script = (): SinkScript => JSON.parse(readFileSync(scriptFile, 'utf8'));
let taken = 0;

const server = createServer(
  (socket) => void converse(socket).catch(() => undefined), // the client has disconnected
);
server.listen(Number(port), '127.0.0.1');

async function converse(socket: Socket): Promise<void> {
  socket.setNoDelay(true).on('error', () => undefined);
  const say = (line: string) => void socket.write(`${line}\r\n`);
  const greeting = script().greeting ?? '220 sink';
  say(greeting);
  if (!greeting.startsWith('220')) return void socket.end();

  let to = '';
  let data: string[] | undefined;
  for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (data !== undefined) {
      if (line !== '.') {
        data.push(line);
        continue;
      }
      const mail = mailOf(to, data);
      data = undefined;
      if (await take(mail)) say('250 taken');
      else return void socket.resetAndDestroy();
      continue;
    }
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'DATA') {
      data = [];
      say('354 go on');
    } else if (verb === 'RCPT') {
      to = /<(.*)>/.exec(line)?.[1] ?? '';
      say(script().recipients?.find(({ match }) => to.includes(match))?.reply ?? '250 ok');
    } else if (verb === 'QUIT') {
      return void socket.end('221 bye\r\n');
    } else {
      say('250 ok');
    }
  }
}

/**
 * Resolves to whether to respond to the client. Half of the delay is before and half after the moment of acceptance.
 */
async function take(mail: SinkMail): Promise<boolean> {
  const { delayMs = 0, resetEvery = 0 } = script();
  if (delayMs > 0) await sleep(delayMs / 2);
  appendFileSync(mailFile, `${JSON.stringify(mail)}\n`);
  if (delayMs > 0) await sleep(delayMs / 2);
  taken++;
  return resetEvery === 0 || taken % resetEvery !== 0;
}

function mailOf(to: string, lines: string[]): SinkMail {
  const header = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
  return { to, messageId: header('Message-ID'), subject: header('Subject') };
}
