import type { ModelMessage } from "@mobkit/session";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createForks, isForkError } from "../src/index.ts";
import { assistant, calls, result, user } from "./support/messages.ts";
import { recordingProvisioner } from "./support/provisioners.ts";
import { messages, seed, write } from "./support/sessions.ts";
import { stores, type Store } from "./support/stores.ts";

/** Groups of messages that leave nothing open. */
const group = fc.constantFrom("talk", "one call", "two calls");
const script = fc.array(group, { minLength: 1, maxLength: 4 });

function spoken(groups: readonly string[], who: string): ModelMessage[] {
  return groups.flatMap((what, turn) => {
    const [a, b] = [`${who}-${turn}-a`, `${who}-${turn}-b`];
    if (what === "talk") return [user(`${who} ${turn}`), assistant("so")];
    if (what === "one call") return [calls(a), result(a)];
    return [calls(a, b), result(b), result(a)];
  });
}

/** A step in a family of sessions: somebody says more, or is forked at a fraction of the history. */
const step = fc.oneof(
  fc.record({ act: fc.constant("say" as const), who: fc.nat(), groups: script }),
  fc.record({
    act: fc.constant("fork" as const),
    who: fc.nat(),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
);

describe.each(stores)("a family of forks on the $name store", (kind) => {
  const open = async (): Promise<Store> => kind.open();

  it("keeps every child's history its own, with the source's prefix for ever", async () => {
    // Section 9: materialise(child) = materialise(source)[0..k); appends to either never change the other;
    // digest(child, k) = digest(source, k); no committed fork ends with an open call
    await fc.assert(
      fc.asyncProperty(script, fc.array(step, { maxLength: 12 }), async (beginning, steps) => {
        const store = await open();
        const forks = createForks({ store, provisioner: recordingProvisioner() });
        const first = await seed(store, "m0", spoken(beginning, "m0"));
        const model = [{ name: "m0", id: first.id, history: spoken(beginning, "m0") }];
        for (const [index, move] of steps.entries()) {
          const chosen = model[move.who % model.length]!;
          if (move.act === "say") {
            const more = spoken(move.groups, `s${index}`);
            await write(store, chosen.id, more);
            chosen.history = [...chosen.history, ...more];
            continue;
          }
          const at = Math.round(move.at * chosen.history.length);
          const identity = `m${model.length}`;
          const made = await forks
            .forkMember(chosen.name, { identity, role: "general" }, { at, allowEmpty: true })
            .catch((error: unknown) =>
              isForkError(error, "fork_boundary") ? undefined : Promise.reject(error),
            );
          if (made === undefined) continue;
          expect((await store.prefix(made.sessionId, at)).digest).toBe(
            (await store.prefix(chosen.id, at)).digest,
          );
          expect((await store.head(made.sessionId)).openCalls).toEqual([]);
          model.push({ name: identity, id: made.sessionId, history: chosen.history.slice(0, at) });
        }
        for (const { id, history } of model) expect(await messages(store, id)).toEqual(history);
        await store.close();
      }),
      { numRuns: kind.runs },
    );
  });

  it("gives fork(fork(s, j), k) and fork(s, k) the same history", async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.nat(), fc.nat(), async (beginning, first, second) => {
        const store = await open();
        const forks = createForks({ store, provisioner: recordingProvisioner() });
        const { id, len } = await seed(store, "s", spoken(beginning, "s"));
        const legal: number[] = [];
        for (let at = 0; at <= len; at += 1) {
          if ((await store.prefix(id, at)).openAfter === 0) legal.push(at);
        }
        const [k, j] = [legal[first % legal.length]!, legal[second % legal.length]!].toSorted(
          (a, b) => a - b,
        );
        const fork = (source: string, identity: string, at: number) =>
          forks.forkMember(source, { identity, role: "general" }, { at, allowEmpty: true });
        await fork("s", "a", j!);
        const twice = await fork("a", "b", k!);
        const once = await fork("s", "c", k!);
        expect(await messages(store, twice.sessionId)).toEqual(await messages(store, once.sessionId));
        expect(twice.prefixDigest).toBe(once.prefixDigest);
        await store.close();
      }),
      { numRuns: kind.runs },
    );
  });

  it("inherits a compaction exactly when the fork holds its summary", async () => {
    // Section 9: compaction then fork = fork then the same context; S33
    const store = await open();
    const forks = createForks({ store, provisioner: recordingProvisioner() });
    const { id } = await seed(store, "s", spoken(["talk", "two calls", "talk"], "s"));
    await write(store, id, [assistant("summary")], { mark: { summarises: 5, keepFrom: 5 } });
    const fork = (identity: string, at: number) =>
      forks.forkMember("s", { identity, role: "general" }, { at });
    const behind = await fork("behind", 8);
    const before = await fork("before", 7);
    expect(await store.contextMark(behind.sessionId)).toEqual(await store.contextMark(id));
    expect(await store.contextMark(before.sessionId)).toBeUndefined();
  });
});
