import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the key of an address for limits: the /64 network of an IPv6 address, because a client with one address has all
 * of them. What is no address has one key for all: a proxy's header can contain anything.
 */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return 'no address';
  const ip = ipaddr.process(address);
  return ip.kind() === 'ipv4' ? ip.toString() : ip.toByteArray().slice(0, 8).join('.');
}
