import type { JsonObject } from "@basis/core";
import type { SchemaDraft } from "./schema-validator.ts";

const SINCE_2019 = /^(unevaluated(Items|Properties)|dependent(Required|Schemas)|(min|max)Contains)$/;
const ONLY_2020 = /^(prefixItems|\$dynamicRef)$/;
/** Keywords that ask nothing of an answer. */
const SILENT = /^([$].*|id|title|description|default|examples?|definitions)$/;

/** Why a keyword asks nothing in that draft although another draft knows it; undefined when it does. */
export function silencedBy(schema: JsonObject, keyword: string, draft: SchemaDraft): string | undefined {
  const isOld = draft === "draft-04" || draft === "draft-07";
  if (!isKnown(keyword, draft, isOld)) return `${draft} does not know it`;
  const isBeside = isOld && typeof schema["$ref"] === "string" && !SILENT.test(keyword);
  return isBeside ? `${draft} ignores it beside a $ref` : undefined;
}

function isKnown(keyword: string, draft: SchemaDraft, isOld: boolean): boolean {
  if (SINCE_2019.test(keyword)) return !isOld;
  if (ONLY_2020.test(keyword)) return draft === "2020-12";
  if (keyword === "$recursiveRef") return draft === "2019-09";
  return keyword !== "additionalItems" || draft !== "2020-12";
}
