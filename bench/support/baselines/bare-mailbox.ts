import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import pg from 'pg';
import { SMTPServer } from 'smtp-server';
import { loadConfig } from '../../../src/config.ts';
import { createMailReader } from '../../../src/deliveries/mail/mail-reader.ts';
import { mailInMemory } from '../../../src/deliveries/mail/raw-mail.ts';
import { newId } from '../../../src/ids.ts';
import { serve } from '../processes.ts';

// The least that a mailbox does: it reads an e-mail by the same parser in the same thread, and inserts its text and its
// bytes as one row before it confirms it. There is no session, no contact, no file and no workflow.
const INSERT = `
  insert into bare_mails (id, mail_from, message_id, subject, body, raw) values ($1, $2, $3, $4, $5, $6)`;
const CONNECTIONS = 10;

const pool = new pg.Pool({ connectionString: loadConfig().DATABASE_URL, max: CONNECTIONS });
await pool.query(`create table if not exists bare_mails (
  id uuid primary key, mail_from text not null, message_id text, subject text, body text not null, raw bytea not null
)`);
const reader = createMailReader();

async function store(mailFrom: string, raw: Buffer): Promise<void> {
  const { mail } = await reader.read('bare', async () => mailInMemory(raw));
  const values = [newId(), mailFrom, mail?.messageId, mail?.subject, mail?.body ?? '', raw];
  await pool.query({ name: 'insert', text: INSERT, values });
}

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, { envelope }, confirm) {
    const mailFrom = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
    buffer(stream)
      .then((raw) => store(mailFrom, raw))
      .then(() => confirm(), confirm);
  },
});
server.listen(0, '127.0.0.1');
await once(server.server, 'listening');

serve({
  port: async () => (server.server.address() as AddressInfo).port,
  count: async () => Number((await pool.query('select count(*) from bare_mails')).rows[0].count),
});
