import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isInside, shownPath } from "./workspace-path.ts";

/**
 * Digests of the workspace files that a command's words name, whole or behind an `=`, through links: an approval of
 * the command is an approval of their content, and of there being no others.
 */
export async function fileDigests(
  root: string,
  words: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const digests: Record<string, string> = {};
  for (const word of new Set(words.flatMap(candidates))) {
    const found = await workspaceFile(root, word);
    if (found !== undefined) digests[`file:${word}`] = `${shownPath(root, found)} ${await digestOf(found)}`;
  }
  return digests;
}

/** The words of shell text that could name a file. A rough cut is enough: what names no file adds nothing. */
export function shellWords(text: string): readonly string[] {
  return text.split(/[\s'"`;|&()<>{}]+/).filter((word) => word !== "");
}

function candidates(word: string): readonly string[] {
  const equals = word.indexOf("=");
  return equals === -1 ? [word] : [word, word.slice(equals + 1)];
}

async function workspaceFile(root: string, word: string): Promise<string | undefined> {
  if (word === "" || word.includes("\0")) return undefined;
  try {
    const real = await realpath(resolve(root, word));
    return isInside(root, real) && (await stat(real)).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch {
    return "unreadable";
  }
  return `sha256:${hash.digest("hex")}`;
}
