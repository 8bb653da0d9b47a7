import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "@basis/core";

/**
 * A descriptor from which a program reads a text as its standard input, or undefined where there can be none.
 *
 * It is a file that is readable by its owner alone and has lost its name before it holds anything, so a program that
 * never reads blocks nobody. Not a pipe, because Node's pipes are sockets, and bash takes a socket for a remote shell
 * and runs the user's start-up file. The caller closes it.
 */
export function openRequestFile(text: string): number | undefined {
  if (process.platform === "win32") return undefined;
  let descriptor: number | undefined;
  try {
    const path = join(tmpdir(), `basis-hook-${newId()}`);
    descriptor = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    writeAll(descriptor, Buffer.from(text, "utf8"));
    return descriptor;
  } catch {
    if (descriptor !== undefined) closeSync(descriptor);
    return undefined;
  }
}

/** Writes at given positions, which leaves the descriptor's own position at the start. */
function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
}
