import { canonicalJson, isJsonObject, isStandardSchema, type JsonValue } from "@basis/core";
import {
  jsonCheck,
  standardCheck,
  type CheckedInput,
  type InputCheck,
  type InputValidator,
} from "../binding/input-check.ts";
import type { LangChainTool } from "./lang-chain.ts";

/** What the framework holds to the schema by itself, when the tool is invoked. */
const byTheFramework: InputCheck = { isDone: true, check: async (value) => ({ ok: true, value }) };

/** The checks of tools, made once for the life of each. */
export class ToolChecks {
  readonly #validator: InputValidator | undefined;
  readonly #checks = new WeakMap<object, InputCheck>();

  constructor(validator: InputValidator | undefined) {
    this.#validator = validator;
  }

  checkOf(tool: LangChainTool): InputCheck {
    let check = this.#checks.get(tool);
    if (check === undefined) this.#checks.set(tool, (check = this.#make(tool)));
    return check;
  }

  #make({ schema }: LangChainTool): InputCheck {
    if (isStandardSchema(schema)) {
      const own = standardCheck(schema);
      return { isDone: false, check: async (input) => unpacked(await own.check(input), input) };
    }
    const isJson = isJsonObject(schema) && this.#validator !== undefined;
    return isJson ? jsonCheck({ jsonSchema: schema }, this.#validator) : byTheFramework;
  }
}

/** Tools of one text take `{input}` and hand the text on: that is no other input. */
function unpacked(checked: CheckedInput, input: JsonValue): CheckedInput {
  if (!checked.ok || typeof checked.value !== "string") return checked;
  const packed = { input: checked.value };
  return isJsonObject(input) && canonicalJson(input["input"] ?? null) === canonicalJson(packed.input)
    ? { ok: true, value: packed }
    : checked;
}
