import { childPointer, isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { limitWords, quote } from "../issue-words.ts";
import { inner, type Judge, type JudgeMaker } from "./judge.ts";

/** The judge of `unevaluatedProperties`: of the members that no other keyword has judged. It comes last. */
export function otherMembersJudge(node: JsonObject, make: JudgeMaker): Judge {
  const keyword = "unevaluatedProperties";
  const schema = node[keyword] as JsonSchema;
  const judge = make.of(schema);
  const properties = node["properties"];
  const allowed = isJsonObject(properties) ? Object.keys(properties) : [];
  return (value, pointer, frame) => {
    if (!isJsonObject(value)) return;
    const below = inner(frame);
    for (const [name, member] of Object.entries(value)) {
      if (frame.seen?.names.has(name)) continue;
      frame.seen?.names.add(name);
      if (schema === false) {
        frame.issues.push({ pointer, keyword, message: `unknown property ${quote(name)}`, allowed });
      } else judge(member, childPointer(pointer, name), below);
    }
  };
}

/** The judge of `unevaluatedItems`: of the items that no other keyword has judged. It comes last. */
export function otherItemsJudge(node: JsonObject, make: JudgeMaker): Judge {
  const keyword = "unevaluatedItems";
  const schema = node[keyword] as JsonSchema;
  const judge = make.of(schema);
  return (value, pointer, frame) => {
    if (!Array.isArray(value)) return;
    const below = inner(frame);
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      if (frame.seen?.items.has(index)) continue;
      frame.seen?.items.add(index);
      if (schema === false) {
        frame.issues.push({ pointer, keyword, message: limitWords(keyword, index)! });
        return;
      }
      judge(item, `${pointer}/${index}`, below);
    }
  };
}
