import type { Config } from '../../config.ts';
import type { Dns } from '../../providers/egress/dns.ts';
import { smtpSettingsOf } from '../../providers/email/smtp.ts';
import { probeSmtp } from '../../providers/email/smtp-probe.ts';
import { examine, type Finding, fault, type Judgement, ok, skipped, warning } from './findings.ts';

const SPF = /^v=spf1(?: |$)/i;

/** Checks the default mail server, and the domain of the installation's own mails. Nothing is sent. */
export async function examineMail(config: Config, dns: Dns): Promise<Finding[]> {
  return [
    await examine('mail server', 'correct SMTP_URL, or start the mail server', () => judgeServer(config)),
    await examine('DNS of SIGN_IN_FROM', 'correct DNS_SERVERS, or the network', () => judgeSender(config, dns)),
  ];
}

async function judgeServer({ SMTP_URL }: Config): Promise<Judgement> {
  if (SMTP_URL === undefined)
    return skipped('SMTP_URL is not set: only orgs that have connected a mail server send e-mails');
  const settings = smtpSettingsOf(SMTP_URL);
  const { isEncrypted, extensions } = await probeSmtp(settings);
  const signsIn = settings.username === undefined ? 'takes mail without a sign-in' : 'has accepted the sign-in';
  const offer = extensions.length === 0 ? 'nothing' : extensions.map(readable).join(', ');
  const found = `${settings.host}:${settings.port} ${signsIn}, ${isEncrypted ? 'by TLS' : 'without TLS'}; it offers ${offer}`;
  return isEncrypted
    ? ok(found)
    : warning(found, 'mails travel readable: have the server offer STARTTLS, or begin SMTP_URL with smtps://');
}

const SIZE = /^SIZE[ =](\d+)$/i;

/** Returns an extension as people read it: the largest mail in megabytes. */
function readable(extension: string): string {
  const bytes = Number(SIZE.exec(extension)?.[1] ?? 0);
  return bytes === 0 ? extension : `SIZE ${Math.floor(bytes / 1e6)} MB`;
}

async function judgeSender({ SIGN_IN_FROM, SMTP_URL, PUBLIC_URL }: Config, dns: Dns): Promise<Judgement> {
  if (SMTP_URL === undefined) return skipped('mails with login links are not sent without SMTP_URL');
  if (SIGN_IN_FROM === undefined && !PUBLIC_URL.startsWith('https:')) return skipped('PUBLIC_URL is of this machine');
  const domain = SIGN_IN_FROM?.split('@').at(-1) ?? new URL(PUBLIC_URL).hostname;
  const records = (await dns.resolveTxt(domain)).filter((text) => SPF.test(text));
  if (records.length > 1)
    return fault(`${domain} has ${records.length} SPF records, so none counts`, 'merge them into one (RFC 7208, 3.2)');
  return records.length === 1
    ? ok(`${domain} has an SPF record`)
    : warning(
        `${domain} has no SPF record`,
        'mails with login links may be taken for spam: add a TXT record "v=spf1 … -all" that names your mail server',
      );
}
