import type { JsonObject, JsonSchema } from "@basis/core";
import { outputError } from "../output-error.ts";
import {
  MAX_ISSUES,
  type Frame,
  type Judge,
  type JudgeMaker,
  type KnownVerdict,
  type Scope,
} from "./judge.ts";

/** The judge of `$ref`. @throws OutputError `schema_invalid` for a target that is not there (a meta-schema). */
export function referenceJudge(node: JsonObject, make: JudgeMaker): Judge {
  const target = find(node, "$ref", make);
  let judge: Judge | undefined;
  return (value, pointer, frame) => {
    judge ??= make.of(target);
    if (make.isScoped || frame.seen !== undefined) return judge(value, pointer, frame);
    // judges stop early in a frame that is full, which is refused anyway; their silence is no verdict to keep
    if (frame.issues.length > MAX_ISSUES) return;
    const { known } = frame.effort;
    const verdicts = known.get(target) ?? new Map<string, KnownVerdict>();
    known.set(target, verdicts);
    const before = verdicts.get(pointer);
    if (before && before.value === value) {
      frame.issues.push(...before.issues);
      return;
    }
    const from = frame.issues.length;
    judge(value, pointer, frame);
    verdicts.set(pointer, { value, issues: frame.issues.slice(from) });
  };
}

/** The judge of `$dynamicRef`: a dynamic anchor of the outermost resource that has one of that name. */
export function dynamicJudge(node: JsonObject, make: JudgeMaker): Judge {
  const first = find(node, "$dynamicRef", make);
  const uri = make.index.targetOf(node, node["$dynamicRef"] as string);
  const name = /#([^/]+)$/.exec(uri)?.[1];
  const isDynamic = name !== undefined && (first as JsonObject)["$dynamicAnchor"] === name;
  return (value, pointer, frame) => {
    const target = isDynamic ? outermost(frame, (base) => make.index.findDynamic(base, name)) : undefined;
    make.of(target ?? first)(value, pointer, frame);
  };
}

/** The judge of `$recursiveRef`: the outermost resource that says `$recursiveAnchor`, as long as all inside say so. */
export function recursiveJudge(node: JsonObject, make: JudgeMaker): Judge {
  const first = find(node, "$recursiveRef", make);
  const marked = (schema: JsonSchema | undefined): schema is JsonObject =>
    typeof schema === "object" && schema["$recursiveAnchor"] === true;
  return (value, pointer, frame) => {
    const target = marked(first)
      ? outermost(frame, (base) => {
          const resource = make.index.find(base);
          return marked(resource) ? resource : undefined;
        })
      : undefined;
    make.of(target ?? first)(value, pointer, frame);
  };
}

function outermost({ scope }: Frame, find: (base: string) => JsonObject | undefined): JsonObject | undefined {
  let found: JsonObject | undefined;
  for (let at: Scope | undefined = scope; at; at = at.outer) found = find(at.base) ?? found;
  return found;
}

function find(node: JsonObject, keyword: string, { index }: JudgeMaker): JsonSchema {
  const reference = node[keyword] as string;
  const target = index.targetOf(node, reference);
  const found = index.find(target);
  if (found !== undefined) return found;
  const reason = `the reference to ${reference.slice(0, 200)} needs its document in schemas`;
  throw outputError("schema_invalid", reason, { details: { reason, pointer: "" } });
}
