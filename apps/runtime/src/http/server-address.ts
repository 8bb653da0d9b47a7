import { BlockList, isIP } from "node:net";

/** Where a server listens. */
export interface ServerAddress {
  /** An IP address, an IPv6 one without brackets. */
  readonly host: string;
  /** 0: one that is free. */
  readonly port: number;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080` or a port alone, which is one of 127.0.0.1; undefined for anything else. */
export function parseAddress(text: string): ServerAddress | undefined {
  const found = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text.trim());
  if (found === null) return undefined;
  const [, six, name = "127.0.0.1", digits] = found;
  const port = Number(digits);
  const host = six ?? (name.toLowerCase() === "localhost" ? "127.0.0.1" : name);
  return port <= 65_535 && isIP(host) === (six === undefined ? 4 : 6) ? { host, port } : undefined;
}

/** True for an address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  return version !== 0 && loopback.check(host, version === 6 ? "ipv6" : "ipv4");
}

/** True for an address that stands for all of the machine's. */
export function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || canonicalHost(host) === "[::]";
}

/** An IP address as it stands in a URL: shortest form, an IPv6 one in brackets. */
export function canonicalHost(host: string): string {
  return new URL(`http://${isIP(host) === 6 ? `[${host}]` : host}`).hostname;
}
