import { randomBytes, timingSafeEqual } from "node:crypto";
import { lstatSync, readFileSync, readSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isJsonObject, newId, parseStrict, sha256 } from "@basis/core";
import { StartError } from "../config/start-error.ts";
import { isInside } from "../tools/workspace-path.ts";

const SCHEMA = 1;
const MAX_BYTES = 4096;
const OPEN_TO_OTHERS = 0o077;

/** Where a token is read from. */
export interface TokenSource {
  /** A file of the user's alone, outside the workspace; `-` is standard input. */
  readonly file: string;
  /** The workspace, where tools could read it. */
  readonly directory: string;
}

/**
 * Makes the token by which a person's own scripts answer approvals, in place of the one before. Only its digest is
 * kept, in the data directory; the token itself is answered this once.
 */
export function makeGrantToken(dataDir: string): string {
  const token = randomBytes(32).toString("base64url");
  const next = join(dataDir, `grant-token.${newId().slice(-12)}.new`);
  const text = JSON.stringify({ schema: SCHEMA, sha256: sha256(token) });
  try {
    writeFileSync(next, `${text}\n`, { flag: "wx", mode: 0o600, flush: true });
    renameSync(next, tokenPath(dataDir));
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
  return token;
}

/** Forgets the token; false when there was none. */
export function forgetGrantToken(dataDir: string): boolean {
  const path = tokenPath(dataDir);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false;
  rmSync(path);
  return true;
}

/**
 * Checks the token that is held out.
 *
 * @throws StartError `trust` unless it is the one that was made last.
 */
export function checkGrantToken(token: string, dataDir: string): void {
  const made = readDigest(dataDir);
  const given = Buffer.from(sha256(token), "hex");
  if (given.length !== made.length || !timingSafeEqual(given, made))
    throw refusal("the token is not the one that 'basis approvals token' made last");
}

function readDigest(dataDir: string): Buffer {
  const path = tokenPath(dataDir);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
    throw refusal("there is no token yet; make one in a terminal: basis approvals token");
  refuseOpenFile(path);
  const parsed = parseStrict(readFileSync(path, "utf8"), { maxBytes: MAX_BYTES });
  const { schema, sha256: digest } = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  if (schema !== SCHEMA || typeof digest !== "string" || !/^[0-9a-f]{64}$/.test(digest))
    throw refusal(`${path} is damaged; make a new token in a terminal: basis approvals token`);
  return Buffer.from(digest, "hex");
}

/**
 * The token in a file of the user's alone.
 *
 * @throws StartError `trust` for a file that others may read, and for one of the workspace.
 */
export function readTokenFile({ file, directory }: TokenSource): string {
  if (file === "-") return readInput().trim();
  const path = resolve(directory, file);
  const inside = (): StartError => refusal(`${path} lies inside the workspace, where tools could read it`);
  if (isInside(directory, path)) throw inside();
  refuseOpenFile(path);
  // A folder on the way may be a link.
  if (isInside(realpathSync(directory), realpathSync(path))) throw inside();
  return readFileSync(path, "utf8").trim();
}

/** A regular file that nobody else may read. */
function refuseOpenFile(path: string): void {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined || !facts.isFile() || facts.size > MAX_BYTES)
    throw refusal(`${path} is no file with a token`);
  const user = process.getuid?.();
  if (user === undefined) return;
  if (facts.uid !== user) throw refusal(`${path} belongs to another user`);
  if ((facts.mode & OPEN_TO_OTHERS) !== 0)
    throw refusal(`others may read ${path}; make it yours alone: chmod 600`);
}

/** The first bytes of standard input. */
function readInput(): string {
  const bytes = Buffer.alloc(MAX_BYTES);
  let length = 0;
  for (let read = -1; read !== 0 && length < MAX_BYTES; length += read)
    read = readSync(0, bytes, length, MAX_BYTES - length, null);
  return bytes.toString("utf8", 0, length);
}

function tokenPath(dataDir: string): string {
  return join(dataDir, "grant-token.json");
}

function refusal(problem: string): StartError {
  return new StartError("trust", [problem]);
}
