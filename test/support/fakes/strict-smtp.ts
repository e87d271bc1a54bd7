import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What a strict mail server does. */
export interface StrictSmtpOptions {
  /** Offers PIPELINING (RFC 2920). Without it, a client has to wait for each reply. */
  isPipelining: boolean;
  /** The reply to RCPT for an address; undefined to take it. */
  refusal?: (address: string) => string | undefined;
  /** The reply to DATA without a recipient: servers may also say 354 (RFC 2920, 3.1). */
  dataWithoutRecipient?: string;
  /** Hangs up in place of a reply for an address, or for each: once, or whenever it is `lasting`. */
  hangUp?: { at: 'RCPT' | 'DATA' | 'RSET' | 'text'; address?: string; lasting?: boolean };
}

/** An e-mail that the server took. */
interface TakenMail {
  from: string;
  to: string[];
  text: string;
}

/**
 * Starts a mail server that holds its clients to the protocol: it notes commands that may not come yet, bare ends of lines,
 * and what comes behind DATA before its reply.
 */
export async function startStrictSmtp({ isPipelining, refusal, dataWithoutRecipient, hangUp }: StrictSmtpOptions) {
  const violations: string[] = [];
  const mails: TakenMail[] = [];
  const packets: string[][] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let left = hangUp;

  const hangsUp = (at: string, addresses: string[]): boolean => {
    if (left?.at !== at || (left.address !== undefined && !addresses.includes(left.address))) return false;
    if (left.lasting !== true) left = undefined;
    return true;
  };

  const converse = (socket: Socket) => {
    let pending = '';
    let isText = false;
    let from = '';
    let asked: string[] = [];
    let to: string[] = [];

    const replyTo = (line: string): string | undefined => {
      const [, address = ''] = /<(.*)>/.exec(line) ?? [];
      switch (line.slice(0, 4).toUpperCase()) {
        case 'EHLO':
          return isPipelining
            ? '250-strict.example\r\n250-PIPELINING\r\n250 8BITMIME'
            : '250-strict.example\r\n250 8BITMIME';
        case 'MAIL':
          if (from !== '') violations.push('MAIL within a transaction');
          [from, asked, to] = [address, [], []];
          return '250 2.1.0 fine';
        case 'RCPT': {
          if (from === '') return '503 5.5.1 MAIL first';
          asked.push(address);
          if (hangsUp('RCPT', asked)) return undefined;
          const refused = refusal?.(address);
          if (refused === undefined) to.push(address);
          return refused ?? '250 2.1.5 fine';
        }
        case 'DATA':
          if (hangsUp('DATA', asked)) return undefined;
          if (to.length === 0) return dataWithoutRecipient ?? '503 5.5.1 no valid recipients';
          return '354 go on';
        case 'RSET':
          if (hangsUp('RSET', asked)) return undefined;
          [from, asked, to] = ['', [], []];
          return '250 2.0.0 fine';
        case 'QUIT':
          return '221 2.0.0 bye';
        default:
          violations.push(`unknown command ${JSON.stringify(line)}`);
          return '500 5.5.2 what';
      }
    };

    const takeText = (text: string): string | undefined => {
      if (/(?<!\r)\n|\r(?!\n)/.test(text)) violations.push('a bare end of a line');
      const recipients = to;
      if (recipients.length > 0) mails.push({ from, to: recipients, text: text.replace(/^\.\./gm, '.') });
      const isGone = hangsUp('text', asked);
      [from, asked, to] = ['', [], []];
      if (isGone) return undefined;
      return recipients.length > 0 ? '250 2.0.0 taken' : '554 5.5.1 no valid recipients';
    };

    const answer = (): void => {
      const replies: string[] = [];
      while (!socket.destroyed) {
        const mark = isText ? /^\.\r\n|\r\n\.\r\n/.exec(pending) : /\r\n/.exec(pending);
        if (mark === null) break;
        const line = pending.slice(0, mark.index);
        pending = pending.slice(mark.index + mark[0].length);
        const reply = isText ? takeText(line === '' ? '' : `${line}\r\n`) : replyTo(line);
        if (reply === undefined) {
          socket.destroy();
          return;
        }
        isText = reply.startsWith('354');
        replies.push(reply);
        if (isText && pending !== '') violations.push('something behind DATA before its reply');
        if (!isPipelining && pending !== '') violations.push(`something behind ${line} before its reply`);
      }
      if (replies.length > 0) socket.write(`${replies.join('\r\n')}\r\n`);
    };

    socket.on('data', (data) => {
      pending += data.toString('latin1');
      if (!isText)
        packets.push(
          data
            .toString('latin1')
            .split('\r\n')
            .slice(0, -1)
            .map((line) => line.slice(0, 4)),
        );
      setImmediate(answer);
    });
    socket.write('220 strict.example ESMTP\r\n');
  };

  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    converse(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    violations,
    mails,
    /** The commands of each packet that is no text. */
    packets,
    connections: () => connections,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
