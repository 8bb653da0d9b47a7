import type { Reporter } from "../hook-report.ts";
import type { ParticipantInfo } from "../participant.ts";
import { matchesTool } from "../participant-filter.ts";
import { didYouMean } from "./nearest-name.ts";

/** Reports each filter entry that matches no tool there is: a guard that is never asked looks like one that agrees. */
export function warnOfUnknownTools(
  participants: readonly ParticipantInfo[],
  knownTools: readonly string[] | undefined,
  report: Reporter,
): void {
  if (knownTools === undefined) return;
  for (const { who, tools = [] } of participants) {
    for (const entry of tools) {
      if (knownTools.some((name) => matchesTool([entry], name))) continue;
      report(
        `${who} is for the tool '${entry}', and there is none of that name${didYouMean(entry, knownTools)}`,
        {
          kind: "warning",
          who,
        },
      );
    }
  }
}
