/** What a failed step means, whatever the driver calls it. */
export type SqlFailure =
  | "lost" // the connection ended; what was under way may have happened
  | "unreachable" // no connection could be made
  | "refused" // the server lets this user in no more
  | "conflict" // the transaction was undone in favour of another one
  | "duplicate" // a unique key was taken meanwhile
  | "waited" // a lock, the statement's time or a free connection was waited for too long
  | "full"
  | "read_only"
  | "corrupt"
  | "schema_lost"
  | "other";

const states: Readonly<Record<string, SqlFailure>> = {
  "23505": "duplicate",
  "25006": "read_only",
  "25P03": "lost",
  "28000": "refused",
  "28P01": "refused",
  "3F000": "schema_lost",
  "40001": "conflict",
  "40P01": "conflict",
  "42501": "refused",
  "42P01": "schema_lost",
  "53100": "full",
  "53200": "full",
  "53300": "waited",
  "55P03": "waited",
  "57014": "waited",
  "57P01": "lost",
  "57P02": "lost",
  "57P03": "unreachable",
  "57P05": "lost",
  XX001: "corrupt",
  XX002: "corrupt",
};

/** Node's names for a socket that could not be opened, and for one that broke. */
const unreachable = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|EACCES)$/;
const broken = /^(?:ECONNRESET|EPIPE|ETIMEDOUT|ECONNABORTED)$/;

/** The driver's own messages, which carry no code. Source: pg 8.23, client.js and pg-pool's index.js. */
const lostMessage =
  /Connection terminated|not queryable|Query read timeout|socket (?:hang up|disconnected)|Connection ended/i;
const unreachableMessage = /timeout expired|connection timeout|server does not support SSL|certificate/i;
const waitedMessage = /timeout exceeded when trying to connect/i;

/** What a failure means; "other" for what came from somewhere else. */
export function sqlFailure(error: unknown): SqlFailure {
  if (!(error instanceof Error)) return "other";
  const code = codeOf(error);
  const known = states[code];
  if (known !== undefined) return known;
  if (unreachable.test(code)) return "unreachable";
  if (broken.test(code) || code.startsWith("08")) return "lost";
  if (waitedMessage.test(error.message)) return "waited";
  if (unreachableMessage.test(error.message)) return "unreachable";
  return lostMessage.test(error.message) ? "lost" : "other";
}

/** What Node or the server calls a failure; empty for what has no name. */
export function codeOf(error: unknown): string {
  const code: unknown = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}
