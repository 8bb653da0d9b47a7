import { UsageError } from "../terminal/exit-code.ts";
import type { Option } from "./option.ts";

/** An option that names a member: a name that can be seen and typed. */
export function memberName(about: string): Option<string> {
  return {
    about,
    value: "NAME",
    read(given) {
      if (given.trim() === "" || /^-|[\p{C}\p{Zl}\p{Zp}]/u.test(given))
        throw new UsageError(["takes a name that can be seen and does not begin with a dash"]);
      return given;
    },
  };
}
