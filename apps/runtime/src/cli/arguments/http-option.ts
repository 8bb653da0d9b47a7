import { readTokenFile } from "../../approvals/grant-token.ts";
import { StartError } from "../../config/start-error.ts";
import { SERVER_TOKEN_VARIABLE } from "../../config/withheld-variable.ts";
import { isHostName } from "../../http/own-hosts.ts";
import { isLoopback, parseAddress, type ServerAddress } from "../../http/server-address.ts";
import { randomToken, weaknessOf } from "../../http/server-token.ts";
import type { CommandContext } from "./command.ts";
import { UsageError } from "../terminal/exit-code.ts";
import { text, type Option } from "./option.ts";

/** `--http`. */
export const httpOption: Option<ServerAddress> = {
  about: "JSON-RPC 2.0 and event streams over HTTP; port 0 is one that is free",
  value: "127.0.0.1:0",
  read(given) {
    const address = parseAddress(given);
    if (address === undefined)
      throw new UsageError([`takes an address such as 127.0.0.1:0, [::1]:8080 or a port, not '${given}'`]);
    return address;
  },
};

/** `--allow-host`. */
export const allowHostOption: Option<readonly string[]> = {
  about: "with --http: names under which a proxy or a tunnel reaches it, with their port, between commas",
  value: "HOST:PORT",
  read(given) {
    const names = given.split(",").map((name) => name.trim());
    const wrong = names.find((name) => !isHostName(name));
    if (wrong !== undefined) throw new UsageError([`takes names such as agent.example:8443, not '${wrong}'`]);
    return names;
  },
};

/** `--server-token-file`. */
export const serverTokenOption: Option<string> = text(
  "FILE",
  "with --http: the token to ask for, from a file of yours alone; else BASIS_SERVER_TOKEN, else a new one",
);

/** The token that a server asks for. */
export interface ServerToken {
  readonly token: string;
  /** True for one that was set by hand, and is not shown. */
  readonly isOwn: boolean;
}

/**
 * The token of a server: the one that was set by hand, else a new one.
 *
 * @throws StartError `server` for a weak one, and for none where other machines reach the address.
 */
export function serverToken(
  { host }: ServerAddress,
  file: string | undefined,
  { env, directory }: Pick<CommandContext, "env" | "directory">,
): ServerToken {
  const given = file === undefined ? env[SERVER_TOKEN_VARIABLE] : readTokenFile({ file, directory });
  if (given === undefined || given === "") {
    if (isLoopback(host)) return { token: randomToken(), isOwn: false };
    throw refuse(
      `${host} is reached from other machines, so its token is yours to set: ${SERVER_TOKEN_VARIABLE} or --server-token-file, with what 'openssl rand -hex 32' prints`,
    );
  }
  const weakness = weaknessOf(given);
  if (weakness === undefined) return { token: given, isOwn: true };
  throw refuse(`the server's token ${weakness}; take what 'openssl rand -hex 32' prints`);
}

function refuse(problem: string): StartError {
  return new StartError("server", [problem]);
}
