import { writeFileSync } from "node:fs";
import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { LENGTHS, messageOf } from "./bodies.mjs";

let copies = 0;

/** Transcripts as files of lines, in pi's form, of each length. */
export function makeSessionFiles(work) {
  for (const { length } of LENGTHS) {
    const lines = [JSON.stringify({ type: "session", version: 3, id: `session-${length}`, cwd: work })];
    for (let at = 0; at < length; at += 1) lines.push(JSON.stringify(entryOf(at)));
    writeFileSync(sourceFile(work, length), `${lines.join("\n")}\n`);
  }
}

function entryOf(at) {
  const parentId = at === 0 ? null : `entry-${at - 1}`;
  const timestamp = "2026-01-01T00:00:00.000Z";
  return { type: "message", id: `entry-${at}`, parentId, timestamp, message: piMessageOf(at) };
}

/** pi writes a session's file from its first answer on. */
function piMessageOf(at) {
  const { content } = messageOf(at);
  return at === 1
    ? { role: "assistant", content: [{ type: "text", text: content }] }
    : { role: "user", content };
}

const sourceFile = (work, length) => join(work, `session-${length}.jsonl`);

/**
 * Transcripts in files, none of which is synced: pi's sessions (append, fork, open) and a plain `fs.copyFile`. What takes
 * seconds is done once a repeat.
 * @param variant `{ operation: "append" | "fork" | "open" | "copy", length, once? }`
 */
export async function open({ operation, length, once }, { work }) {
  const place = join(work, `files-${operation}-${length}-${process.pid}`);
  await mkdir(place, { recursive: true });
  const step = await operations[operation]({ source: sourceFile(work, length), place, length });
  const close = () => rm(place, { recursive: true, force: true });
  if (once) return { once: () => microseconds(step), close };
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) await step();
    },
    close,
  };
}

const operations = {
  async append({ source, place, length }) {
    const { SessionManager } = await pi();
    const file = join(place, "appended.jsonl");
    await copyFile(source, file);
    const session = SessionManager.open(file, place);
    let next = length;
    return () => session.appendMessage({ role: "user", content: messageOf((next += 1)).content });
  },
  async fork({ source, place }) {
    const { SessionManager } = await pi();
    return () => SessionManager.forkFrom(source, place, place);
  },
  async open({ source, place }) {
    const { SessionManager } = await pi();
    return () => SessionManager.open(source, place).buildSessionContext();
  },
  async copy({ source, place }) {
    return () => copyFile(source, join(place, `copy-${(copies += 1)}.jsonl`));
  },
};

const pi = () => import("@mariozechner/pi-coding-agent");

async function microseconds(step) {
  const start = performance.now();
  await step();
  return (performance.now() - start) * 1000;
}
