import { once } from 'node:events';
import { createReadStream, createWriteStream, renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type ParsedMail, simpleParser } from 'mailparser';

export type CaughtMail = { id: string; from: string; to: string[]; received_at: string; raw: Buffer };

export type MailMessage = {
  id: string;
  from: string;
  to: string;
  subject: string;
  headers: Record<string, string>;
  text: string | null;
  html: string | null;
  received_at: string;
};

export type MailStore = {
  add(mail: { from: string; to: string[]; raw: Buffer }): void;
  /** The stored mails, newest last. */
  list(): CaughtMail[];
  find(id: string): CaughtMail | undefined;
  clear(): void;
  close(): Promise<void>;
};

const MAX_MAILS = 20_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** Keeps the newest mails in memory and in a file, one per line, to be loaded at the next start. */
export async function openMailStore(file: string): Promise<MailStore> {
  const mails = new Map<string, CaughtMail>();
  let bytes = 0;
  let linesInFile = 0;
  let lastId = 0;

  const keep = (mail: CaughtMail) => {
    mails.set(mail.id, mail);
    bytes += mail.raw.length;
    linesInFile += 1;
    for (const oldest of mails.values()) {
      if (mails.size <= MAX_MAILS && bytes <= MAX_BYTES) break;
      mails.delete(oldest.id);
      bytes -= oldest.raw.length;
    }
  };
  for await (const mail of readMails(file)) {
    keep(mail);
    lastId = Math.max(lastId, Number(mail.id));
  }
  let output = openForAppend(file);

  const rewrite = () => {
    output.end();
    writeFileSync(`${file}.new`, [...mails.values()].map(toLine).join(''), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    output = openForAppend(file);
    linesInFile = mails.size;
  };
  if (linesInFile > mails.size) rewrite();

  return {
    add({ from, to, raw }) {
      lastId += 1;
      const mail = { id: String(lastId), from, to, received_at: new Date().toISOString(), raw };
      keep(mail);
      output.write(toLine(mail));
      if (linesInFile > 2 * MAX_MAILS) rewrite();
    },
    list: () => [...mails.values()],
    find: (id) => mails.get(id),
    clear() {
      mails.clear();
      bytes = 0;
      rewrite();
    },
    async close() {
      output.end();
      await once(output, 'close');
    },
  };
}

/** Parses a mail's subject, headers and bodies. Unreadable parts stay empty. */
export async function readMessage(mail: CaughtMail): Promise<MailMessage> {
  const options = { skipHtmlToText: true, skipTextToHtml: true, skipTextLinks: true, skipImageLinks: true };
  const parsed = await simpleParser(withoutLastBreak(mail.raw), options);
  return {
    id: mail.id,
    from: parsed.from?.value[0]?.address || mail.from,
    to: mail.to.join(', '),
    subject: parsed.subject ?? '',
    headers: headersOf(parsed),
    text: parsed.text ?? null,
    html: parsed.html || null,
    received_at: mail.received_at,
  };
}

/** Removes the line break added by SMTP at the end of every mail. */
function withoutLastBreak(raw: Buffer): Buffer {
  return raw.toString('latin1', raw.length - 2) === '\r\n' ? raw.subarray(0, -2) : raw;
}

/** Returns header values as sent, unfolded, by lower-case name. Values of a repeated header are joined by commas. */
function headersOf({ headerLines }: ParsedMail): Record<string, string> {
  const headers = new Map<string, string>();
  for (const { key, line } of headerLines) {
    const value = line
      .slice(line.indexOf(':') + 1)
      .replace(/\r?\n(?=[ \t])/g, '')
      .trim();
    const earlier = headers.get(key);
    headers.set(key, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return Object.fromEntries(headers);
}

function openForAppend(file: string) {
  const output = createWriteStream(file, { flags: 'a', mode: 0o600 });
  output.on('error', (error) => console.error(`Mail catcher: cannot write ${file}: ${error.message}`));
  return output;
}

function toLine({ raw, ...mail }: CaughtMail): string {
  return `${JSON.stringify({ ...mail, raw: raw.toString('latin1') })}\n`;
}

async function* readMails(file: string): AsyncGenerator<CaughtMail> {
  const input = createReadStream(file);
  try {
    await once(input, 'open');
  } catch {
    return; // the first start
  }
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const mail = parseLine(line);
    if (mail) yield mail;
  }
}

/** Parses a line. Returns nothing for a last line cut short by a kill. */
function parseLine(line: string): CaughtMail | undefined {
  try {
    const mail = JSON.parse(line);
    return { ...mail, raw: Buffer.from(mail.raw, 'latin1') };
  } catch {
    return undefined;
  }
}
