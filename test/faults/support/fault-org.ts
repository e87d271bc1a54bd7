import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../../src/db/connect.ts';
import { issueOrgKey } from '../../../src/keys/service.ts';
import type { Tokens } from '../../../src/keys/tokens.ts';
import { createOrg, createPartner } from '../../../src/partners/service.ts';
import { type Answer, type Caller, callerOf } from './http.ts';
import type { MailSink, SinkMail } from './mail-sink.ts';
import { until } from './until.ts';

const ADDERS = 8;
const WAIT_LIMIT_MS = 200_000;

export interface StepOptions {
  delayInMinutes?: number;
  isTransactional?: boolean;
}

/** The result of a sequence, or of the org's own e-mails. */
export interface Outcome {
  contacts: number;
  mails: number;
  /** Sends with an unknown outcome. */
  unknown: number;
  /** Descriptions of all violations, one per contact and step. */
  wrong: string[];
}

export interface FaultOrg extends Caller {
  id: string;
  key: string;
  widgetToken: string;
  /** Creates a sequence for all contacts, with one e-mail per step, each with a different subject. It is continuous unless `more` says otherwise. */
  createSequence(steps?: StepOptions[], more?: object): Promise<string>;
  /** Adds contacts over HTTP at about this rate until each is answered with 201. */
  addContacts(emails: string[], perSecond?: number): Promise<void>;
  mails(): SinkMail[];
  untilMails(count: number): Promise<void>;
  untilComplete(sequenceId: string, contacts: number, limitMs?: number): Promise<void>;
  /** Compares the ledger with the mail server's mails. */
  outcomeOf(sequenceId: string, emails: string[], steps?: number): Promise<Outcome>;
  statuses(): Promise<Record<string, number>>;
  /** Counts the rows left in the outbox. */
  outbox(): Promise<number>;
}

export async function makeOrg({
  db,
  tokens,
  url,
  sink,
  ca,
}: {
  db: Db;
  tokens: Tokens;
  url: string;
  sink: MailSink;
  /** Of an address with TLS. */
  ca?: string;
}): Promise<FaultOrg> {
  const partner = await createPartner(db, { name: 'Partner' });
  const { id, widget_token: widgetToken } = await createOrg(db, partner.id, { name: 'Org' });
  const { api_key } = await issueOrgKey(db, tokens, id, { name: 'Test' });
  const caller = callerOf(url, api_key, ca);
  const labels = new Map<string, string>();
  const mails = () => sink.mails().filter(({ to }) => to.includes(id));

  const count = async (query: ReturnType<typeof sql<{ count: number }>>) => (await query.execute(db)).rows[0]?.count;
  const outbox = async () =>
    (await count(sql`select count(*) as count from outbox where org_id = ${id}::uuid`)) as number;
  const statuses = async () => {
    const { rows } = await sql<{ status: string; count: number }>`
      select status, count(*) as count from deliveries where org_id = ${id}::uuid group by status`.execute(db);
    return Object.fromEntries(rows.map(({ status, count: many }) => [status, many]));
  };

  return {
    ...caller,
    id,
    key: api_key,
    widgetToken,
    outbox,
    statuses,
    mails,
    untilMails: (many) => until(`${many} mails went out`, async () => mails().length >= many, WAIT_LIMIT_MS),

    async createSequence(steps = [{}], more = {}) {
      const label = `sequence ${labels.size + 1},`;
      const body = {
        name: label,
        filter: null,
        steps: steps.map((step, index) => stepOf(step, `${label} step ${index}`)),
        ...more,
      };
      const { id: sequenceId } = expect201(await caller.post('/sequences', body));
      labels.set(sequenceId, label);
      return sequenceId;
    },

    async addContacts(emails, perSecond = 200) {
      const waiting = [...emails];
      const begin = performance.now();
      let added = 0;
      const add = async () => {
        for (let email = waiting.shift(); email !== undefined; email = waiting.shift()) {
          await sleep(Math.max(0, begin + (++added * 1000) / perSecond - performance.now()));
          expect201(await caller.post('/contacts', { contact: { email } }));
        }
      };
      await Promise.all(Array.from({ length: ADDERS }, add));
    },

    untilComplete: (sequenceId, contacts, limitMs = WAIT_LIMIT_MS) =>
      until(
        `${contacts} enrollments were complete and nothing waited`,
        async () => {
          const { rows } = await sql<{ complete: number; others: number; moving: number }>`
            select
              (select count(*) from enrollments where sequence_id = ${sequenceId}::uuid and status = 'complete') as complete,
              (select count(*) from enrollments where sequence_id = ${sequenceId}::uuid and status <> 'complete') as others,
              (select count(*) from deliveries where sequence_id = ${sequenceId}::uuid and status in ('queued', 'sending')) as moving
          `.execute(db);
          const [{ complete, others, moving }] = rows as [{ complete: number; others: number; moving: number }];
          return complete === contacts && others === 0 && moving === 0 && (await outbox()) === 0;
        },
        limitMs,
      ),

    async outcomeOf(sequenceId, emails, steps = 1) {
      const { rows } = await sql<{ email: string; position: number; status: string | null; id: string }>`
        select contact.email, step.position, delivery.status, delivery.id
        from contacts as contact
        cross join (select id, position from sequence_steps where sequence_id = ${sequenceId}::uuid) as step
        left join deliveries as delivery on delivery.org_id = contact.org_id and delivery.contact_id = contact.id
          and delivery.step_id = step.id and delivery.sequence_id = ${sequenceId}::uuid
        where contact.org_id = ${id}::uuid
      `.execute(db);
      const label = labels.get(sequenceId) as string;
      const sent = mails().filter(({ subject }) => subject.startsWith(label));
      const taken = Map.groupBy(sent, ({ to, subject }) => `${to} ${subject}`);
      const wrong: string[] = [];
      for (const { email, position, status } of rows) {
        const many = taken.get(`${email} ${label} step ${position}`)?.length ?? 0;
        const isRight = (status === 'accepted' && many === 1) || (status === 'unknown' && many <= 1);
        if (!isRight) wrong.push(`${email} step ${position + 1}: ${many} mails, delivery ${status}`);
      }
      const known = new Set(rows.map(({ email }) => email));
      for (const email of emails) if (!known.has(email)) wrong.push(`${email} was accepted and is gone`);
      for (const { to } of sent) if (!known.has(to)) wrong.push(`${to} got mail and is no contact`);
      if (rows.length !== known.size * steps) wrong.push(`${rows.length} sends for ${known.size} contacts`);
      const unknown = rows.filter(({ status }) => status === 'unknown').length;
      return { contacts: known.size, mails: sent.length, unknown, wrong };
    },
  };
}

function stepOf({ delayInMinutes = 0, isTransactional = false }: StepOptions, subject: string) {
  return {
    delay_in_minutes: delayInMinutes,
    action: {
      type: 'send_emails',
      data: {
        from_email: 'hello@example.org',
        email_sender_name: 'Faults',
        email_subject: subject,
        email_body: 'Good to have you here.',
        email_is_transactional: isTransactional,
      },
    },
  };
}

/** Returns addresses of an org's contacts. They contain its id, to distinguish the mail server's mails by org. */
export const addressesOf = (org: { id: string }, count: number, name = 'contact'): string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}@${org.id}.example.com`);

function expect201({ status, body }: Answer) {
  if (status !== 201) throw new Error(`The api answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
