import { parseModelRef } from "@basis/core";
import { UsageError } from "../terminal/exit-code.ts";
import type { Option } from "./option.ts";

/** `PROVIDER/MODEL`, `scripted:FILE` or `cassette:FILE`. Whether there is such a model is found out when it is opened. */
export const modelOption: Option<string> = {
  about:
    "the model, e.g. anthropic/claude-sonnet-4-5; or scripted:FILE, whose replies are a file; or cassette:FILE, which --record wrote. Default: BASIS_MODEL, else by the key that is set",
  value: "PROVIDER/MODEL",
  read(given) {
    const isFile = /^(?:scripted|cassette):./s.test(given);
    if (!isFile && parseModelRef(given) === undefined)
      throw new UsageError([
        `takes PROVIDER/MODEL, e.g. anthropic/claude-sonnet-4-5, scripted:FILE or cassette:FILE, not '${given}'`,
      ]);
    return given;
  },
};
