import type { JsonValue } from "@basis/core";
import {
  jsonCheck,
  type CheckedInput,
  type InputCheck,
  type InputValidator,
} from "../binding/input-check.ts";
import type { McpCalls, McpToolPage } from "./mcp-client.ts";

/** Most pages that are read of a server's list. */
const MAX_PAGES = 100;

/** The input schemas that a server lists. Nothing else that it says of its tools is believed. */
export class ToolSchemas {
  readonly #client: McpCalls;
  readonly #validator: InputValidator;
  readonly #checks = new Map<string, InputCheck>();

  constructor(client: McpCalls, validator: InputValidator) {
    this.#client = client;
    this.#validator = validator;
  }

  /** Takes the newest schemas from a page that the server answered. */
  learn({ tools }: McpToolPage): void {
    for (const { name, inputSchema } of tools)
      this.#checks.set(name, jsonCheck({ jsonSchema: inputSchema }, this.#validator));
  }

  /** The check of a tool's inputs, which asks for the list when the tool is not known yet. */
  checkOf(name: string): InputCheck {
    return { isDone: false, check: (input) => this.#check(name, input) };
  }

  async #check(name: string, input: JsonValue): Promise<CheckedInput> {
    if (!this.#checks.has(name)) await this.#listAll();
    const check = this.#checks.get(name);
    return check?.check(input) ?? { ok: false, problem: "the server lists no such tool" };
  }

  async #listAll(): Promise<void> {
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const listed = await this.#client.listTools(cursor === undefined ? undefined : { cursor });
      this.learn(listed);
      cursor = listed.nextCursor;
      if (cursor === undefined) return;
    }
  }
}
