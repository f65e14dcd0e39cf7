/** Whether a hostname always leads to this machine: `localhost`, a name under it (RFC 6761 §6.3), or a loopback address. */
export function isThisMachine(hostname: string): boolean {
  return /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(hostname);
}

/** Whether the host of a URL is an IP address. The parser writes every notation of IPv4 with dots (WHATWG URL §3.5). */
export function isAddress(url: string): boolean {
  const hostname = URL.parse(url)?.hostname ?? "";
  return hostname.startsWith("[") || /^[\d.]+$/u.test(hostname);
}
