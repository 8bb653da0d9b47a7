import type { ModelMessage } from "@mobkit/session";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import {
  createForks,
  type AnyForkError,
  type ForkErrorDetails,
  type ForkMemberOptions,
  type Forks,
} from "../src/index.ts";
import { assistant, calls, result, story, user } from "./support/messages.ts";
import { recordingProvisioner } from "./support/provisioners.ts";
import { refusalOf } from "./support/refusals.ts";
import { messages, rows, seed, snapshot, write } from "./support/sessions.ts";
import { stores, type Store } from "./support/stores.ts";

const child = { identity: "child", role: "general" };

describe.each(stores)("a fork's boundary on the $name store", (kind) => {
  let store: Store;
  let forks: Forks<ModelMessage>;
  let sessionId: string;

  beforeEach(async () => {
    store = await kind.open();
    forks = createForks({ store, provisioner: recordingProvisioner() });
    sessionId = (await seed(store, "planner")).id;
    await write(store, sessionId, story.slice(0, 6), {
      turnId: "turn-1",
      ids: ["m0", "m1", "m2", "m3", "m4", "m5"],
    });
    await write(store, sessionId, story.slice(6), { turnId: "turn-2", ids: ["m6"] });
  });

  const lengthAt = async (options: ForkMemberOptions): Promise<number> =>
    (await forks.forkMember("planner", child, options)).messageCount;

  async function refused(options: ForkMemberOptions): Promise<ForkErrorDetails["fork_boundary"]> {
    const before = await snapshot(store);
    const error = await refusalOf("fork_boundary", forks.forkMember("planner", child, options));
    expect(error).toMatchObject({ retry: "after_fix", committed: false });
    expect(await snapshot(store)).toBe(before);
    return error.details;
  }

  it("is the exact committed end when omitted", async () => {
    // F58
    expect(await lengthAt({})).toBe(7);
  });

  it("is a count of messages", async () => {
    // F59
    expect(await lengthAt({ at: 2 })).toBe(2);
  });

  it("is the end of a message", async () => {
    // F60
    expect(await lengthAt({ at: { messageId: "m1" } })).toBe(2);
  });

  it("is the end of a turn", async () => {
    // F61
    expect(await lengthAt({ at: { turnId: "turn-1" } })).toBe(6);
  });

  it("is the last settled length", async () => {
    // F62
    await write(store, sessionId, [calls("c")]);
    expect(await lengthAt({ at: "settled" })).toBe(7);
  });

  it("is refused beyond the end", async () => {
    // F63
    expect(await refused({ at: 8 })).toMatchObject({ reason: "out_of_range", at: 8, len: 7 });
    expect(await lengthAt({ at: 7 })).toBe(7);
  });

  it.each([3, 4])(
    "is refused at %i, between a call and its results, with the legal counts around",
    async (at) => {
      // F64, F65
      expect(await refused({ at })).toMatchObject({ reason: "split", at, nearestBefore: 2, nearestAfter: 5 });
      expect(await lengthAt({ at: 5 })).toBe(5);
    },
  );

  it("is refused inside a group by message as by count", async () => {
    // F65
    expect(await refused({ at: { messageId: "m3" } })).toMatchObject({ reason: "split", nearestBefore: 2 });
    expect(await lengthAt({ at: { messageId: "m4" } })).toBe(5);
  });

  it("is refused when the prefix has another digest than expected", async () => {
    // F66
    const { digest } = await store.prefix(sessionId, 2);
    expect((await refused({ at: 5, expect: { digest } })).reason).toBe("revision_changed");
    expect(await lengthAt({ at: 2, expect: { digest } })).toBe(2);
  });

  it("is refused when the source has another revision than expected", async () => {
    // F67
    const { rev } = await store.head(sessionId);
    await write(store, sessionId, [assistant("more")]);
    expect((await refused({ expect: { revision: rev } })).reason).toBe("revision_changed");
    expect(await lengthAt({ expect: { revision: rev + 1 } })).toBe(8);
  });

  it("is zero only when asked for", async () => {
    // F68
    expect((await refused({ at: 0 })).reason).toBe("empty");
    const made = await forks.forkMember("planner", child, { at: 0, allowEmpty: true });
    expect(await messages(store, made.sessionId)).toEqual([]);
  });

  it("is refused when omitted at an open call, with the settled length on offer", async () => {
    // F69
    await write(store, sessionId, [calls("c")]);
    expect(await refused({})).toMatchObject({
      reason: "split",
      settledLen: 7,
      nearestBefore: 7,
      nearestAfter: null,
    });
    expect(await lengthAt({ at: 7 })).toBe(7);
  });

  it("is refused for a message or turn that the source does not hold", async () => {
    // F70
    const other = await seed(store, "other", [user("elsewhere")]);
    const [row] = (await rows(store, other.id)) as readonly { readonly id: string }[];
    expect((await refused({ at: { messageId: row!.id } })).reason).toBe("unknown_message");
    expect((await refused({ at: { turnId: "turn-9" } })).reason).toBe("unknown_turn");
  });
});

describe.each(stores)("any transcript on the $name store", (kind) => {
  it("is forked exactly where no call is open, and offers the nearest such places elsewhere", async () => {
    // F71
    const group = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 0, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(group, { minLength: 1, maxLength: 5 }), fc.nat(), async (groups, pick) => {
        const transcript = groups.flatMap((names, turn) => {
          const ids = names.map((name) => `${name}${turn}`);
          return [user(`turn ${turn}`), ...(ids.length > 0 ? [calls(...ids)] : []), ...ids.map(result)];
        });
        const legal = legalLengths(groups);
        const at = pick % (transcript.length + 1);
        const store = await kind.open();
        await seed(store, "planner", transcript);
        const forks = createForks({ store, provisioner: recordingProvisioner() });
        const outcome = await forks.forkMember("planner", child, { at, allowEmpty: true }).then(
          (made) => messages(store, made.sessionId),
          (error: AnyForkError) => error.details,
        );
        const nearestBefore = legal.findLast((length) => length < at);
        const nearestAfter = legal.find((length) => length > at);
        const split = { reason: "split", at, len: transcript.length, settledLen: transcript.length };
        expect(outcome).toEqual(
          legal.includes(at) ? transcript.slice(0, at) : { ...split, nearestBefore, nearestAfter },
        );
        await store.close();
      }),
      { numRuns: kind.runs },
    );
  });
});

/** Each turn is a user message and, where it has calls, one message that opens them and one for each result. */
function legalLengths(groups: readonly (readonly string[])[]): number[] {
  const legal = [0];
  let length = 0;
  for (const names of groups) {
    length += 1;
    legal.push(length);
    if (names.length === 0) continue;
    length += 1 + names.length;
    legal.push(length);
  }
  return legal;
}
