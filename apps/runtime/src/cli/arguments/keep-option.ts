import type { Keep } from "../../compaction/compaction-plan.ts";
import { UsageError } from "../terminal/exit-code.ts";
import type { Option } from "./option.ts";

/** `--keep`: `2`, `2turns` or `20messages`. */
export const keepOption: Option<Keep> = {
  about: "what stays as it is: the newest turns, as 2, or messages, as 20messages; default 2",
  value: "TURNS|Nmessages",
  read(given) {
    const found = /^(\d+) ?(turns?|messages?)?$/.exec(given);
    const count = Number(found?.[1]);
    if (!found || count < 1 || !Number.isSafeInteger(count))
      throw new UsageError([
        `takes a number of turns such as 2, or of messages such as 20messages, not '${given}'`,
      ]);
    return { unit: found[2]?.startsWith("message") ? "messages" : "turns", count };
  },
};
