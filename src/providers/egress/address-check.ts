import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** Addresses that look public and are not: a cloud's own services (Azure's WireServer). */
const RESERVED_BY_CLOUDS = ['168.63.129.16/32'];
/** The only IPv6 space that is routed over the Internet (RFC 4291, 2.4). */
const GLOBAL_IPV6 = '2000::/3';

/** Whether an address may be connected to: undefined, or what kind of address it is. */
export type AddressCheck = (address: string) => string | undefined;

/**
 * Lets public addresses through, and those of the networks in `allow`. Loopback, private, link-local, metadata, reserved and
 * translated addresses are not public; what hides in an IPv6 address as IPv4 is judged as IPv4. Throws on a malformed CIDR.
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
