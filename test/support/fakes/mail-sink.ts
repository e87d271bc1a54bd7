import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

const PARSER_OPTIONS = { skipHtmlToText: true, skipTextToHtml: true, skipTextLinks: true };

export interface SinkMail {
  to: string;
  mail: ParsedMail;
}

/** A refusal for a recipient: an SMTP code with its enhanced code, such as [550, '5.1.1 no such user']. */
export type Refusal = [code: number, text: string];

/** A mail server that takes everything, but for recipients that it was told to refuse. */
export async function startMailSink() {
  const mails: SinkMail[] = [];
  const refusals = new Map<string, Refusal | Promise<Refusal>>();
  const hangUps = new Set<string>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onRcptTo({ address }, _session, done) {
      Promise.resolve(refusals.get(address)).then((refusal) => {
        if (refusal === undefined) return done();
        const [responseCode, text] = refusal;
        return done(Object.assign(new Error(text), { responseCode }));
      }, done);
    },
    onData(stream, session, done) {
      simpleParser(stream, PARSER_OPTIONS).then((mail) => {
        const to = session.envelope.rcptTo[0]?.address ?? '';
        mails.push({ to, mail });
        if (!hangUps.delete(to)) return done();
        for (const { id, _socket } of server.connections) if (id === session.id) _socket.destroy();
      }, done);
    },
  });
  server.on('error', () => undefined); // a client that hangs up is the client's affair
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;

  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuse: (address: string, refusal: Refusal | Promise<Refusal>) => refusals.set(address, refusal),
    /** Takes the next mail for an address, and breaks the line instead of an answer. */
    hangUpAfterNext: (address: string) => hangUps.add(address),
    /** Takes mail for an address again. */
    accept: (address: string) => refusals.delete(address),
    /** The mails that came for an address, oldest first. */
    to: (address: string) => mails.filter((mail) => mail.to === address).map(({ mail }) => mail),
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}
