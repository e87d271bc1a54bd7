import { mailOf } from '../support/mails.ts';
import { handOver } from '../support/smtp.ts';
import { eventually, type Stack } from '../support/stack/stack.ts';
import { emptyOutbox, hasWorkflow, receiveWebhooks, type Traces, tracesOf } from './scenario.ts';

export const MAIL_DOMAIN = 'in.acme.example';
const INBOX = `support@${MAIL_DOMAIN}`;
const TEAM_INBOX = `sales@${MAIL_DOMAIN}`;
/** Those who write at the same time write the same, as their tickets' numbers are by chance. */
const TEXT = 'The parcel that you have sent to me on Monday has not arrived yet.\n\n--\nSent from my phone';

interface Written {
  from: string;
  id?: string;
  to?: string;
  text?: string;
  headers?: Record<string, string>;
}

/** E-mails to inboxes: of new and known senders, at once and one after the other, answers, repeats, and what nobody reads. */
export async function receiveMails(stack: Stack): Promise<Traces> {
  const org = await stack.createOrg();
  const closeReceiver = await receiveWebhooks(org);
  const team = (await org.post('/teams', { name: 'Sales' })).body.id;
  await org.put('/email/inboxes', { address: INBOX, display_name: 'Acme' });
  await org.put('/email/inboxes', { address: TEAM_INBOX, team_id: team });
  for (const email of ['known@people.example', 'named@people.example'])
    await org.post('/contacts', { contact: { email, ...(email.startsWith('named') && { name: 'Somebody' }) } });
  await org.post('/blocklist/domains', { domains: 'spam.example' });
  await emptyOutbox(stack, org);

  let written = 0;
  const write = async ({ from, id = `mail-${++written}`, to = INBOX, text = TEXT, headers = {} }: Written) => {
    const [name = ''] = from.split('@');
    const raw = mailOf(
      {
        From: `${name.toUpperCase()} <${from}>`,
        To: to,
        'Message-ID': `<${id}@people.example>`,
        Subject: 'Parcel',
        ...headers,
      },
      text,
    );
    await handOver(stack.inboundPort, { from, to, raw });
  };
  const writeNext = async (mail: Written) => {
    await write(mail);
    await handled(stack, org.id);
  };
  const at = (name: string) => `${name}@people.example`;
  await writeNext({ from: at('ann'), id: 'ann' });
  await Promise.all(['ben', 'cid', 'known', 'named'].map((name) => write({ from: at(name), id: name })));
  await handled(stack, org.id);
  await writeNext({ from: at('ann'), id: 'ann' });
  await writeNext({
    from: at('ann'),
    text: 'It has come.',
    headers: { Subject: 'Re: Parcel', 'In-Reply-To': '<ann@people.example>' },
  });
  await writeNext({ from: at('dan'), text: 'Is it on its way?', headers: { 'In-Reply-To': '<ben@people.example>' } });
  await writeNext({ from: at('eve'), headers: { Subject: 'Answer to [#1]' } });
  await writeNext({ from: at('fay'), to: TEAM_INBOX });
  await writeNext({ from: 'someone@spam.example' });
  await writeNext({ from: at('gus'), headers: { 'Reply-To': at('office'), Cc: `${at('hal')}, ${TEAM_INBOX}` } });
  await writeNext({ from: at('ida'), text: '' });
  await writeNext({ from: at('jon'), headers: { 'Auto-Submitted': 'auto-replied' } });
  await writeNext({ from: at('kim'), headers: { Precedence: 'bulk' } });
  await writeNext({ from: INBOX });
  await writeNext({
    from: at('leo'),
    headers: { 'Content-Type': 'multipart/mixed; boundary="b"' },
    text: '--b\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n--b\r\nContent-Type: text/csv; name="a.csv"\r\n\r\n1,2\r\n--b--',
  });
  const traces = await tracesOf(stack, org, [], { areAllByWorkflow: await areAllByWorkflow(stack, org.id) });
  await closeReceiver();
  return traces;
}

/** Waits until all e-mails are processed. Only then is the next one sure to find what they have left. */
const handled = (stack: Stack, orgId: string) =>
  eventually('the e-mails to be processed', async () => {
    const mails = stack.db.selectFrom('inbound_emails').select('id').where('org_id', '=', orgId);
    return (await mails.where('processed_at', 'is', null).executeTakeFirst()) === undefined;
  });

async function areAllByWorkflow(stack: Stack, orgId: string): Promise<boolean> {
  const mails = await stack.db.selectFrom('inbound_emails').select('id').where('org_id', '=', orgId).execute();
  const started = await Promise.all(mails.map(({ id }) => hasWorkflow(stack, `inbound-email/${id}`)));
  return started.every(Boolean);
}
