import { openOwnHost } from "./own-host.mjs";
import { ANSWER, FILE, INPUT, PROMPT, TOOL } from "./scene.mjs";

/** Rows that a turn adds. */
const ROWS = 4;
/** Rows appended at a time. */
const STEP = 100;

/**
 * The scene in sessions that hold so many messages, a turn before the measured ones having run in this process. They
 * grow by 40 messages or a tenth, whichever is more; then they are rolled back and play one turn untimed.
 */
export async function open({ messages }, { work }) {
  const host = await openOwnHost("memory", { work });
  const { store } = host.runtime().state;
  const turns = Math.max(10, messages / 10 / ROWS);
  const sessions = [];
  const playUntimed = async (id) => {
    if ((await host.turn(await host.prepare(id))) !== ANSWER) throw new Error("the turn ended otherwise");
  };
  const sessionOf = async (at) => {
    if (sessions[at] === undefined) {
      sessions[at] = await longSession(store, messages, at);
      await playUntimed(sessions[at]);
    }
    const { id, len } = await store.head(sessions[at]);
    if (len < messages + turns * ROWS) return id;
    await rollBack(store, id, messages);
    await playUntimed(id);
    return id;
  };
  let waiting = [];
  return {
    async ready(count) {
      waiting = [];
      for (let at = 0; at * turns < count; at += 1) {
        const id = await sessionOf(at);
        for (let turn = 0; turn < turns && waiting.length < count; turn += 1)
          waiting.push(await host.prepare(id));
      }
    },
    async run(count) {
      for (let at = 0; at < count; at += 1) await host.turn(waiting[at]);
    },
    close: () => host.close(),
  };
}

async function longSession(store, messages, number) {
  const { id } = await store.createSession({ member: `long-${number}`, role: "main" });
  const lease = await store.acquireLease(id, { owner: "filling", ttlMs: 60_000 });
  for (let { rev, len } = await store.head(id); len < messages;) {
    const rows = Array.from({ length: Math.min(STEP, messages - len) }, (_, at) =>
      messageAt(len + at, messages),
    );
    ({ rev, len } = await store.append(id, { lease, expectedRev: rev, messages: rows }));
  }
  await store.releaseLease(lease);
  return id;
}

async function rollBack(store, id, to) {
  const lease = await store.acquireLease(id, { owner: "rolling back", ttlMs: 60_000 });
  const { rev } = await store.head(id);
  await store.cancel(id, { lease, expectedRev: rev, to, reason: "the sample is over" });
  await store.releaseLease(lease);
}

const asked = { role: "user", content: PROMPT };
const answered = { role: "assistant", content: [{ type: "text", text: ANSWER }] };

/** The scene's rows, over and over; what no whole scene fits into is prompts and answers. */
function messageAt(position, messages) {
  if (position >= messages - (messages % 4)) return position % 2 === 0 ? asked : answered;
  const call = { toolCallId: `call-${position >> 2}`, toolName: TOOL.name };
  switch (position % 4) {
    case 0:
      return asked;
    case 1:
      return { role: "assistant", content: [{ type: "tool-call", ...call, input: { ...INPUT } }] };
    case 2:
      return {
        role: "tool",
        content: [{ type: "tool-result", ...call, output: { type: "text", value: FILE } }],
      };
    default:
      return answered;
  }
}
