import type { BlobStore } from "@mobkit/session";
import { secrets } from "../secrets/secrets.ts";
import { textOutcome, type ToolOutcome } from "../tools/tool.ts";
import { cutResult, MAX_SHOWN_BYTES } from "./cut-result.ts";
import { insist } from "./insist.ts";
import { eventCall, type QueuedCall } from "./queued-call.ts";
import type { RunContext } from "./run-context.ts";
import { storable, toolMessage } from "./tool-message.ts";

/** Commits the one result of a call: what the guards left of it, cut to what a model reads, the whole of it in a blob. */
export async function commitResult(
  run: RunContext,
  call: QueuedCall,
  result: { outcome: ToolOutcome; blobs: BlobStore },
): Promise<void> {
  const { shown, blob } = await shorten(secrets.redactJson(storable(result.outcome)), result.blobs);
  const { from, ids } = await run.writer.append([toolMessage(call, shown)], {
    turnId: run.scope.run,
    ...(blob === undefined ? {} : { blobs: [blob] }),
    join: (tx) => run.ledger.finish(tx, call.callKey, run.clock.now()),
  });
  run.emit("tool_completed", {
    ...eventCall(call),
    row: from,
    message_id: ids[0]!,
    output: shown.output as never,
    is_error: shown.isError,
  });
}

async function shorten(
  outcome: ToolOutcome,
  blobs: BlobStore,
): Promise<{ shown: ToolOutcome; blob?: string }> {
  const text = typeof outcome.output === "string" ? outcome.output : JSON.stringify(outcome.output);
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= MAX_SHOWN_BYTES) return { shown: outcome };
  const { digest } = await insist(() => blobs.put(bytes));
  return { shown: textOutcome(cutResult(text), outcome.isError), blob: digest };
}
