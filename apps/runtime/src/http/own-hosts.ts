import { isIP } from "node:net";
import { canonicalHost, isLoopback, isWildcard, type ServerAddress } from "./server-address.ts";

/** The names by which a server may be called. What is called otherwise was sent here by a name that somebody else holds. */
export interface OwnHosts {
  /** True for the value of a Host header that names this server, its port included. */
  has(host: string): boolean;
  /** True for the value of an Origin header that is the page of this server which was called by `host`. */
  isOrigin(origin: string, host: string): boolean;
}

/**
 * The names of a server. On all of the machine's addresses every literal IP address is one: a name that is bound to
 * another address meanwhile never looks like that. `named` are those under which a proxy or a tunnel is reached; a proxy
 * may speak TLS.
 */
export function ownHosts({ host, port }: ServerAddress, named: readonly string[] = []): OwnHosts {
  const extra = new Set(named.map((name) => name.toLowerCase()));
  const own = new Set([canonicalHost(host), ...(isLoopback(host) || isWildcard(host) ? LOCAL : [])]);
  const names = new Set([...own].flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]));
  const isNamed = (given: string): boolean => extra.has(given);
  const isOwn = (given: string): boolean =>
    names.has(given) || (isWildcard(host) && isLiteralAddress(given, port));
  return {
    has(given) {
      const asked = given.toLowerCase();
      return isNamed(asked) || isOwn(asked);
    },
    isOrigin(origin, given) {
      const asked = given.toLowerCase();
      return origin === `http://${asked}` || (isNamed(asked) && origin === `https://${asked}`);
    },
  };
}

const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

/** A host and perhaps a port, as `--allow-host` takes it. */
export function isHostName(text: string): boolean {
  return /^(?:[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text);
}

function isLiteralAddress(given: string, port: number): boolean {
  const found = /^(?:\[([0-9a-f:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::(\d+))?$/.exec(given);
  if (found === null) return false;
  const [, six, four, digits = "80"] = found;
  return Number(digits) === port && isIP(six ?? four ?? "") !== 0;
}
