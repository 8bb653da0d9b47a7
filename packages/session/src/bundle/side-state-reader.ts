import { canonicalJson } from "@basis/core";
import { decodeBody, jsonProblem, maxBodyBytes } from "../message-body.ts";
import type { SideState } from "../side-state.ts";
import type { SideStateLine } from "./bundle-lines.ts";
import { textOf } from "./content-chunks.ts";
import { invalidField } from "./line-fields.ts";

/** The side state of a bundle, 64 MiB at most in all. */
export class SideStateReader {
  readonly #states = new Map<string, SideState>();
  #bytes = 0;

  get states(): readonly SideState[] {
    return Object.freeze([...this.#states.values()]);
  }

  /** Judges a value before its content comes. @throws BundleFlaw `invalid_field`. */
  announce(line: SideStateLine): void {
    this.#bytes += line.bytes;
    if (this.#states.has(line.kind)) throw invalidField("kind", "stands twice");
    if (this.#bytes > maxBodyBytes) throw invalidField("bytes", `come to more than ${maxBodyBytes} in all`);
  }

  /** @throws BundleFlaw `invalid_field` for what is no canonical JSON. */
  add(line: SideStateLine, content: Uint8Array): void {
    const { kind, onFork, position, version } = line;
    const text = textOf(content, "value");
    if (!isCanonical(text)) throw invalidField("value", "is no canonical JSON");
    const value = decodeBody(text) as SideState["value"];
    this.#states.set(kind, Object.freeze({ kind, onFork, value, position, version }));
  }
}

function isCanonical(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return jsonProblem(value) === undefined && canonicalJson(value) === text;
  } catch {
    return false;
  }
}
