import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Config } from '../../config.ts';
import type { NameResolver } from '../../providers/egress/dns.ts';
import { examine, type Finding, fault, type Judgement, ok, skipped, warning } from './findings.ts';

const TLS_TIMEOUT_MS = 5_000;
const DAY_MS = 86_400_000;
const WARN_DAYS = 14;
const RENEW = 'renew the certificate';

/** Checks the names of this installation in DNS, and its certificates. */
export async function examineNetwork(config: Config, dns: NameResolver): Promise<Finding[]> {
  const { protocol } = new URL(config.PUBLIC_URL);
  return [
    ...(await examineNames(config, dns)),
    await examine('certificate of PUBLIC_URL', 'correct the certificate or the proxy', async () =>
      protocol === 'https:' ? judgeDate(await certificateAt(new URL(config.PUBLIC_URL))) : skipped('it has no TLS'),
    ),
    await examine('DNS of INBOUND_DOMAIN', 'correct DNS_SERVERS, or the network', () => judgeInbound(config, dns)),
    await examine('certificate for mail', 'correct INBOUND_TLS_CERT and INBOUND_TLS_KEY', () => judgeMailFiles(config)),
  ];
}

/** Checks that the names of addresses for people are in DNS. */
async function examineNames({ PUBLIC_URL, DASHBOARD_URL, TEMPORAL_UI_URL }: Config, dns: NameResolver) {
  const checked = Object.entries({ PUBLIC_URL, DASHBOARD_URL, TEMPORAL_UI_URL }).flatMap(([setting, url]) =>
    url === undefined ? [] : [{ setting, name: new URL(url).hostname }],
  );
  return Promise.all(
    checked.map(({ setting, name }) =>
      examine(`DNS of ${setting}`, 'correct DNS_SERVERS, or the network', async () => {
        const isName = name !== 'localhost' && isIP(name.replace(/^\[|\]$/g, '')) === 0;
        if (!isName) return skipped(`${name} is no name`);
        return judgeAddresses(setting, name, await dns.resolveAddresses(name));
      }),
    ),
  );
}

const judgeAddresses = (setting: string, name: string, addresses: string[]): Judgement =>
  addresses.length === 0
    ? fault(`${name} has no address`, `add an A or AAAA record, or correct ${setting}`)
    : ok(`${name} is ${addresses.join(', ')}`);

async function judgeInbound({ INBOUND_DOMAIN: domain }: Config, dns: NameResolver): Promise<Judgement> {
  if (domain === undefined) return skipped('it is not set');
  const exchanges = await dns.resolveMx(domain);
  if (exchanges.length === 0)
    return fault(`${domain} has no MX record`, 'add one that leads to INBOUND_SMTP_PORT of the worker');
  const found = `mail for ${domain} goes to ${exchanges.join(', ')}`;
  const addresses = await Promise.all(exchanges.map((exchange) => dns.resolveAddresses(exchange)));
  const lost = exchanges.filter((_, nth) => addresses[nth]?.length === 0);
  if (lost.length === 0) return ok(found);
  const remedy = 'add an A or AAAA record for it, or correct the MX record';
  const gone = `${found}; ${lost.join(', ')} has no address`;
  return lost.length === exchanges.length ? fault(gone, remedy) : warning(gone, remedy);
}

async function judgeMailFiles({ INBOUND_TLS_CERT, INBOUND_TLS_KEY }: Config): Promise<Judgement> {
  if (INBOUND_TLS_CERT === undefined || INBOUND_TLS_KEY === undefined) return skipped('none is set');
  const certificate = new X509Certificate(await readFile(INBOUND_TLS_CERT));
  if (!certificate.checkPrivateKey(createPrivateKey(await readFile(INBOUND_TLS_KEY))))
    return fault('INBOUND_TLS_KEY is not its key', 'set the key that the certificate was made for');
  return judgeDate(new Date(certificate.validTo));
}

function judgeDate(validUntil: Date): Judgement {
  const days = Math.floor((validUntil.getTime() - Date.now()) / DAY_MS);
  const found = `valid until ${validUntil.toISOString().slice(0, 10)}`;
  if (days < 0) return fault(found, RENEW);
  return days < WARN_DAYS ? warning(found, RENEW) : ok(found);
}

/** Returns until when the certificate at an address is valid. Throws if it is not trusted or not of this name. */
async function certificateAt({ hostname, port }: URL): Promise<Date> {
  const socket = connect({ host: hostname, port: Number(port) || 443, servername: hostname });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve).once('error', reject);
      socket.setTimeout(TLS_TIMEOUT_MS, () => reject(new Error(`${hostname} did not answer within 5 s`)));
    });
    return validityOf(socket);
  } finally {
    socket.destroy();
  }
}

const validityOf = (socket: TLSSocket): Date => new Date(socket.getPeerCertificate().valid_to);
