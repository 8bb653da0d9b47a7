import type { BlobStore } from "@mobkit/session";
import { whenThere, type Later } from "../../events/event-log.ts";
import { keepImages, toldImages, type KeptImages } from "../../images/kept-image.ts";
import { secrets } from "../../secrets/secrets.ts";
import { textOutcome, type ToolOutcome } from "../../tools/tool.ts";
import { cutResult, MAX_SHOWN_BYTES } from "./cut-result.ts";
import { insist } from "../transcript/insist.ts";
import type { QueuedCall } from "./queued-call.ts";
import type { RunContext, Told } from "../run/run-context.ts";
import { storable } from "../transcript/storable.ts";
import { toolMessage } from "../transcript/tool-message.ts";

/** Commits the one result of a call: what the guards left of it, cut to what a model reads, the whole of it in a blob. */
export function commitResult(
  run: RunContext,
  call: QueuedCall,
  result: { outcome: ToolOutcome; blobs: BlobStore },
): Later<void> {
  const { output, isError, images } = result.outcome;
  const outcome: ToolOutcome = { output: secrets.redactJson(output), isError };
  return whenThere(isLong(outcome) ? cutOutcome(outcome, result.blobs) : undefined, (cut) =>
    whenThere(images && insist(() => keepImages(images, result.blobs)), (kept) =>
      commitShown(run, call, { shown: settled(cut?.shown ?? outcome), cut: cut?.blob, kept }),
    ),
  );
}

function settled({ output, isError }: ToolOutcome): ToolOutcome {
  return { output: storable(output), isError };
}

interface ShownResult {
  readonly shown: ToolOutcome;
  /** The blob that the whole of a cut result is in. */
  readonly cut: string | undefined;
  readonly kept: KeptImages | undefined;
}

function commitShown(run: RunContext, call: QueuedCall, { shown, cut, kept }: ShownResult): Later<void> {
  const { callKey, toolCallId, toolName } = call;
  const appended = run.writer.append([storable(toolMessage(call, shown, kept))], {
    turnId: run.scope.run,
    blobs: cut || kept ? [...(cut ? [cut] : []), ...(kept?.digests ?? [])] : undefined,
    join: (tx) => run.ledger.finish(tx, callKey, run.clock.now()),
  });
  return whenThere(appended, ({ from, ids }) => {
    const told: Told<"tool_completed"> = {
      call_key: callKey,
      tool_call_id: toolCallId,
      tool_name: toolName,
      row: from,
      message_id: ids[0]!,
      output: shown.output as never,
      is_error: shown.isError,
    };
    if (kept !== undefined) told.images = toldImages(kept.parts);
    run.emit("tool_completed", told);
  });
}

/** A character takes three bytes of UTF-8 at most. */
function isLong({ output }: ToolOutcome): boolean {
  return typeof output !== "string" || output.length * 3 > MAX_SHOWN_BYTES;
}

async function cutOutcome(
  outcome: ToolOutcome,
  blobs: BlobStore,
): Promise<{ readonly shown: ToolOutcome; readonly blob: string } | undefined> {
  const text = typeof outcome.output === "string" ? outcome.output : JSON.stringify(outcome.output);
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= MAX_SHOWN_BYTES) return undefined;
  const { digest } = await insist(() => blobs.put(bytes));
  return { shown: textOutcome(cutResult(text), outcome.isError), blob: digest };
}
