import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** Non-public addresses in public ranges: services internal to a cloud (Azure's WireServer). */
const RESERVED_BY_CLOUDS = ['168.63.129.16/32'];
/** The only globally routed IPv6 space (RFC 4291, 2.4). */
const GLOBAL_IPV6 = '2000::/3';

/** Returns undefined for an allowed address, else the kind of the blocked address. */
export type AddressCheck = (address: string) => string | undefined;

/**
 * Allows public addresses and the networks in `allow`. Loopback, private, link-local, metadata, reserved and translated
 * addresses are not public. An IPv4 address embedded in an IPv6 address is evaluated as IPv4. Throws on a malformed
 * CIDR.
 */
export function createAddressCheck(allow: string[]): AddressCheck {
  const allowed = allow.map(parseNetwork);
  const clouds = RESERVED_BY_CLOUDS.map(parseNetwork);
  const globalIpv6 = parseNetwork(GLOBAL_IPV6);

  return (text) => {
    if (!ipaddr.isValid(text) || text.includes('%')) return 'malformed';
    const address = ipaddr.process(text);
    if (allowed.some((network) => isIn(address, network))) return undefined;
    if (clouds.some((network) => isIn(address, network))) return 'reserved';
    const range = address.range();
    if (range !== 'unicast') return range;
    if (address.kind() === 'ipv6' && !isIn(address, globalIpv6)) return 'reserved';
    return undefined;
  };
}

function parseNetwork(cidr: string): Network {
  try {
    return ipaddr.parseCIDR(cidr.includes('/') ? cidr : `${cidr}/${cidr.includes(':') ? 128 : 32}`);
  } catch {
    throw new Error(`EGRESS_ALLOW: "${cidr}" is not a CIDR such as 10.0.0.0/8`);
  }
}

const isIn = (address: Address, [network, bits]: Network) =>
  network.kind() === address.kind() && address.match(network, bits);
