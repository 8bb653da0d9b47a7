import { canonicalJson } from "@basis/core";
import { blobDigest } from "../message-body.ts";
import type { ModelMessage } from "../model-message-shape.ts";
import type { RedactRequest, RedactionReport } from "../upkeep.ts";
import { actor, answers, asks, rowsOf, says, type Actor, type AnyStore } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";
import { upkeepOf } from "./collection-chapter.ts";
import { redactsWhatIsSaid } from "./redacts-what-is-said.ts";

const SECRET = "the password is hunter2-hunter2";

/** A redacted body is nowhere any more, and nothing else has changed. Only for stores with `upkeep`. */
export const redactionChapter: ConformanceChapter = {
  name: "redaction",
  cases: [
    onStore(
      "S32: the body goes in every branch at once; ids, digests and boundaries stay",
      async ({ store }) => {
        const planner = await actor(store);
        const { ids } = await planner.append([says("a"), says(SECRET), asks("c1")]);
        await planner.append([answers("c1", SECRET)]);
        const child = await planner.fork("child", { at: 2 });
        const before = await planner.rows();
        const report = await redact(child, { messageIds: [ids[1]!] });
        ensureSame([report.messages, report.summaries, report.purged], [1, 0, true], "the report");
        const after = await planner.rows();
        ensureSame(after.map(headerOf), before.map(headerOf), "all but the bodies");
        ensureSame([after[1]!.body, after[1]!.redacted], [says("[redacted]"), true], "the source's row");
        ensureSame((await child.rows())[1]!.body, says("[redacted]"), "the child's row");
        ensureSame([after[0]!.body, after[3]!.body], [before[0]!.body, before[3]!.body], "the other bodies");
        ensureSame(
          [await store.head(planner.sessionId), planner.rev],
          [await store.head(planner.sessionId), 2],
          "the head",
        );
        await planner.append([says("on")]);
        await planner.fork("later");
      },
    ),
    onStore(
      "S32: calls and results keep their keys, and may be redacted by another body",
      async ({ store }) => {
        const planner = await actor(store);
        const { ids } = await planner.append([says("a"), asks("c1")]);
        const result = await planner.append([answers("c1", SECRET)]);
        const messageIds = [ids[1]!, result.ids[0]!];
        const bad = redact(planner, { messageIds, replace: () => says("gone") });
        await ensureRefused(bad, "invalid_message");
        ensure((await planner.rows())[2]!.redacted === undefined, "a refusal changes nothing");
        await redact(planner, { messageIds: [ids[0]!], replace: () => says("on request") });
        await redact(planner, { messageIds });
        const [said, call, answer] = await planner.rows();
        ensureSame([said!.body, said!.redacted], [says("on request"), true], "the replacement");
        ensureSame([call!.openAfter, answer!.openAfter], [1, 0], "open counts");
        ensure(!JSON.stringify(answer!.body).includes(SECRET), "the result is gone");
      },
    ),
    onStore(
      "S32: blobs of the body and of the message go, unless another message has them",
      async ({ store }) => {
        const planner = await actor(store);
        const long = says(`${SECRET} `.repeat(1000));
        const whole = await store.blobs.put(SECRET);
        const { ids } = await planner.append([long], { blobs: [whole.digest] });
        const again = await planner.append([says("b")], { blobs: [whole.digest] });
        const report = await redact(planner, { messageIds: [ids[0]!] });
        ensureSame([report.blobs, report.sharedBlobs], [1, [whole.digest]], "the report");
        ensure((await store.blobs.get(blobDigest(canonicalJson(long)))) === undefined, "the body's blob");
        await planner.fork("child");
        const rest = await redact(planner, { messageIds: [again.ids[0]!] });
        ensureSame([rest.blobs, rest.sharedBlobs], [1, []], "the last reference");
        ensure((await store.blobs.get(whole.digest)) === undefined, "the blob that was referred to");
      },
    ),
    onStore("S32: a summary that covers the message goes with it, in every branch", async ({ store }) => {
      const planner = await actor(store);
      const { ids } = await planner.append([says("a"), says(SECRET), says("c")]);
      const other = await planner.fork("other", { at: 1 });
      const mark = { summarises: 2, keepFrom: 2 };
      const summary = says(`summary: ${SECRET}`);
      await planner.append([summary], { mark });
      await other.append([says("b")]);
      await other.append([says("unrelated summary")], { mark });
      const child = await planner.fork("child");
      const report = await redact(planner, { messageIds: [ids[1]!] });
      ensureSame([report.messages, report.summaries], [1, 1], "the report");
      ensure((await child.rows())[3]!.redacted === true, "the child's summary");
      ensureSame((await other.rows())[2]!.body, says("unrelated summary"), "another branch's summary");
      ensure((await store.contextMark(child.sessionId)) !== undefined, "the mark stays");
    }),
    onStore("S32: what a cancel took out can be redacted, and the summary of it", async ({ store }) => {
      const planner = await actor(store);
      const { ids } = await planner.append([says(SECRET)]);
      await planner.append([says(SECRET)], { mark: { summarises: 1, keepFrom: 0 } });
      await planner.cancel({ to: 0, messages: [says("anew")] });
      const report = await redact(planner, { messageIds: [ids[0]!] });
      ensureSame([report.messages, report.summaries], [1, 1], "the report");
      ensure((await planner.rows())[0]!.redacted === undefined, "the transcript is as it was");
    }),
    onStore("S32: copies in events, first inputs, side state and fork requests go", async ({ store }) => {
      const planner = await actor(store);
      const { ids } = await planner.append([says(SECRET)], {
        events: [{ key: "k", kind: "told", payload: { text: `it said: ${SECRET}`, n: 1 } }],
        sideState: [{ kind: "board", onFork: "share", value: { note: "hunter2-hunter2" } }],
      });
      await planner.commit("child", { request: { why: "hunter2-hunter2" }, initialMessage: says(SECRET) });
      const report = await redact(planner, { messageIds: [ids[0]!], secrets: ["hunter2-hunter2"] });
      ensure(report.texts >= 3, "event, side state and operation");
      const [told] = (await store.outbox.list({ kind: "told" })).items;
      ensureSame(told!.payload, { text: "it said: [redacted]", n: 1 }, "the event");
      const { items } = await store.operations.list();
      const kept = [
        items[0]!.request,
        items[0]!.initialMessage,
        await store.sideState(planner.sessionId, "board"),
      ];
      ensure(!JSON.stringify(kept).includes("hunter2"), "operation and side state");
    }),
    redactsWhatIsSaid,
    onStore("S32: a request head goes from every session, and a write gives another", async ({ store }) => {
      const planner = await actor(store);
      const other = await actor(store, "other");
      const [told, kept] = [`{"system":"say \\"${SECRET}\\""}`, '{"system":"harmless"}'];
      const { digest } = await store.blobs.put(told);
      const { digest: harmless } = await store.blobs.put(kept);
      const { ids } = await planner.append([says("a")], { requestHead: digest });
      await other.append([says("b")], { requestHead: harmless });
      const { session: child } = await planner.commit("child");
      const secrets = [`say "${SECRET}"`];
      const report = await redact(planner, { messageIds: ids, secrets, replace: (message) => message });
      ensureSame([report.messages, report.texts], [0, 1], "what went");
      const heads = await Promise.all(
        [planner.sessionId, child.id, other.sessionId].map((id) => store.head(id)),
      );
      ensureSame(
        heads.map(({ requestHead }) => requestHead),
        [null, null, harmless],
        "the heads",
      );
      ensure((await store.blobs.get(digest)) === undefined, "its text is gone");
      await ensureRefused(planner.update({ requestHead: digest }), "blob_missing");
      await planner.append([says("c")], { requestHead: harmless });
    }),
    onStore(
      "S32: the generation grows with each redaction, and a write id no longer confirms a guess",
      async ({ store }) => {
        const planner = await actor(store);
        const upkeep = upkeepOf(store);
        const first = await upkeep.generation();
        const request = { lease: planner.lease, expectedRev: 0, messages: [says(SECRET)], writeId: "w" };
        const { ids } = await store.append(planner.sessionId, request);
        const report = await redact(planner, { messageIds: [ids[0]!] });
        ensure(report.generation > first, "it grew");
        ensure((await upkeep.generation()) === report.generation, "and is told");
        const again = await redact(planner, { messageIds: [ids[0]!] });
        ensureSame(
          [again.messages, again.generation],
          [0, report.generation],
          "a repetition changes nothing",
        );
        await ensureRefused(store.append(planner.sessionId, request), "write_id_conflict");
      },
    ),
    onStore("S32: what one redaction left in a message, a later one takes", async ({ store }) => {
      const planner = await actor(store);
      const { ids } = await planner.append([says(`${SECRET}, the name is alice-alice`)]);
      const without = (text: string) => (message: ModelMessage) =>
        says((message.content as string).replaceAll(text, "[redacted]"));
      const messageIds = [ids[0]!];
      const first = await redact(planner, { messageIds, replace: without("hunter2-hunter2") });
      const second = await redact(planner, { messageIds, replace: without("alice-alice") });
      ensureSame([first.messages, second.messages], [1, 1], "both changed it");
      ensure(second.generation > first.generation, "the generation grew again");
      const body = says("the password is [redacted], the name is [redacted]");
      ensureSame((await planner.rows())[0]!.body, body, "what is left");
      const third = await redact(planner, { messageIds, replace: without("alice-alice") });
      ensureSame([third.messages, third.generation], [0, second.generation], "nothing is left to go");
    }),
    onStore("S32: what a replacement leaves as it is was not redacted", async ({ store }) => {
      const planner = await actor(store);
      const { ids } = await planner.append([says("harmless"), says(SECRET)]);
      const replace = (message: ModelMessage) => (message.content === SECRET ? says("gone") : message);
      const report = await redact(planner, { messageIds: ids, replace });
      ensureSame(report.messages, 1, "one lost something");
      const rows = await planner.rows();
      ensureSame([rows[0]!.redacted ?? false, rows[1]!.redacted], [false, true], "which");
    }),
    onStore("a redaction refuses what it can't do, and changes nothing then", async ({ store }) => {
      const planner = await actor(store);
      const { ids } = await planner.append([says(SECRET)]);
      const other = await actor(store, "other");
      const elsewhere = await ensureRefused(redact(other, { messageIds: [ids[0]!] }), "invalid_request");
      ensure(elsewhere.field === "messageIds", "a message of another session");
      await ensureRefused(redact(planner, { messageIds: [] }), "invalid_request");
      await ensureRefused(redact(planner, { messageIds: [ids[0]!], secrets: ["abc"] }), "invalid_request");
      const unknown = upkeepOf(store).redact({ sessionId: "nobody", messageIds: ["m"] });
      await ensureRefused(unknown, "unknown_session");
      const [row] = await rowsOf(store, planner.sessionId);
      ensureSame([row!.body, row!.redacted ?? null], [says(SECRET), null], "the row");
    }),
  ],
};

type Redaction = Omit<RedactRequest<ModelMessage, never>, "sessionId">;

function redact(
  { store, sessionId }: { store: AnyStore } & Pick<Actor, "sessionId">,
  request: Redaction,
): Promise<RedactionReport> {
  return upkeepOf(store).redact({ sessionId, ...request });
}

function headerOf({
  body: _body,
  redacted: _redacted,
  ...header
}: Awaited<ReturnType<Actor["rows"]>>[number]): object {
  return header;
}
