import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CADDYFILE = new URL('../../../deploy/Caddyfile', import.meta.url);
const LOOKUP = 'dynamic a {';

/** Writes deploy/Caddyfile with a DNS server of its own in place of Docker's. Returns its path. */
export function writeDividingConfig(folder: string, dnsServer: string): string {
  const given = readFileSync(CADDYFILE, 'utf8');
  if (!given.includes(LOOKUP)) throw new Error('deploy/Caddyfile does not look up the apis');
  return write(folder, 'Caddyfile', given.replace(LOOKUP, `${LOOKUP}\nresolvers udp/${dnsServer}`));
}

/** Writes the configuration of a proxy with TLS, by a certificate of Caddy's own authority. Returns its path. */
export const writeTlsConfig = (folder: string, port: number, upstreamPort: number): string =>
  write(
    folder,
    'Caddyfile.tls',
    `{
	admin off
	skip_install_trust
	auto_https disable_redirects
}
https://localhost:${port} {
	bind 127.0.0.1
	tls internal
	reverse_proxy 127.0.0.1:${upstreamPort}
}
`,
  );

function write(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
