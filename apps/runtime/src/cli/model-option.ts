import { parseModelRef } from "@basis/core";
import { UsageError } from "./exit-code.ts";
import type { Option } from "./option.ts";

/** `PROVIDER/MODEL`, or `scripted:FILE`. Whether there is such a model is found out when it is opened. */
export const modelOption: Option<string> = {
  about:
    "the model, e.g. anthropic/claude-sonnet-4-5; or scripted:FILE, whose replies are a file. Default: BASIS_MODEL, else by the key that is set",
  value: "PROVIDER/MODEL",
  read(given) {
    const scripted = given.startsWith("scripted:") && given.length > "scripted:".length;
    if (!scripted && parseModelRef(given) === undefined)
      throw new UsageError([
        `takes PROVIDER/MODEL, e.g. anthropic/claude-sonnet-4-5, or scripted:FILE, not '${given}'`,
      ]);
    return given;
  },
};
