import type { OutputIssue, OutputStatus } from "@basis/typed-output";
import type { EventRange } from "../events/event-log.ts";
import type { BasisEvent, EventData } from "../events/event-schema.ts";
import type { RunFinished } from "./run-watch.ts";

/** What became of a typed run's answer. */
export interface OutputAccount extends JudgedCandidates {
  readonly status: OutputStatus;
}

interface JudgedCandidates {
  readonly attempts: number;
  /** Of an accepted candidate. */
  readonly value?: unknown;
  /** True for a value that is not the literal reading of what the model wrote. */
  readonly normalized: boolean;
  /** How the last one was judged, and what was wrong with it. */
  readonly verdict?: string;
  readonly issues: readonly OutputIssue[];
  /** Why candidates were refused that fitted the schema, in order. */
  readonly reasons: readonly string[];
}

/** How a run ended, as its log tells it. */
export interface RunAccount {
  readonly end: RunFinished["data"];
  /** The last text that the model wrote, and why it ended there. */
  readonly text: string;
  readonly finishReason?: string | undefined;
  /** Of a typed run. */
  readonly output?: OutputAccount | undefined;
}

/** Reads what a run that has ended came to, from its session's events. */
export async function readRunAccount(
  events: EventRange,
  { run, data: end }: Pick<RunFinished, "run" | "data">,
): Promise<RunAccount> {
  let text = "";
  let finishReason: string | undefined;
  let judged: JudgedCandidates | undefined;
  for await (const event of events) {
    if (event.run !== run) continue;
    if (event.type === "assistant_message") {
      text = event.data.text || text;
      finishReason = event.data.finish_reason;
    }
    judged = judgedWith(judged ?? none, event) ?? judged;
  }
  const status = statusOf(end, judged);
  return { end, text, finishReason, output: status && { ...(judged ?? none), status } };
}

const none: JudgedCandidates = { attempts: 0, normalized: false, issues: [], reasons: [] };

function judgedWith(before: JudgedCandidates, event: BasisEvent): JudgedCandidates | undefined {
  switch (event.type) {
    case "output_accepted":
      return acceptedAfter(before, event.data);
    case "output_rejected":
      return rejectedAfter(before, event.data);
    default:
      return undefined;
  }
}

function acceptedAfter(
  { attempts, reasons }: JudgedCandidates,
  { candidate, value = candidate, normalized }: EventData<"output_accepted">,
): JudgedCandidates {
  const isOther = normalized === true;
  return { attempts: attempts + 1, verdict: "accepted", value, normalized: isOther, issues: [], reasons };
}

/** Verdicts on candidates that fitted their schema. */
const REFUSALS: ReadonlySet<string> = new Set(["rejected", "denied", "vetoed"]);

function rejectedAfter(
  { attempts, reasons }: JudgedCandidates,
  { verdict, issues = [] }: EventData<"output_rejected">,
): JudgedCandidates {
  const refused = REFUSALS.has(verdict) ? issues.map(({ message }) => message) : [];
  return {
    attempts: attempts + 1,
    verdict,
    normalized: false,
    issues: issues as readonly OutputIssue[],
    reasons: [...reasons, ...refused],
  };
}

/** The log of an older release does not tell how the answer ended. */
function statusOf(
  { status, output_status: told }: RunFinished["data"],
  judged: JudgedCandidates | undefined,
): OutputStatus | undefined {
  if (told !== undefined || judged === undefined) return told as OutputStatus | undefined;
  if (status === "failed" || status === "parked" || status === "cancelled") return status;
  return judged.verdict === "accepted" ? "accepted" : "mismatch";
}
