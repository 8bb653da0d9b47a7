import { ungated } from "../binding/refused-call.ts";

/** A part of a message that a model wrote. */
interface Part {
  readonly type?: unknown;
  readonly name?: unknown;
}

/** A message as far as its calls are looked at: as its provider writes them, and as the framework names them. */
interface Reply {
  readonly messages?: unknown;
  readonly content?: unknown;
  readonly contentBlocks?: unknown;
}

/**
 * Fails the turn of a reply in which the provider ran a tool by itself (S15): settings of the model bring such tools where
 * no list shows them.
 */
export function refuseProviderCalls(reply: unknown, outside: readonly string[]): void {
  const { messages = [reply] } = Object(reply) as Reply;
  for (const message of messages as readonly unknown[]) {
    const { content, contentBlocks } = Object(message) as Reply;
    for (const part of [...partsOf(content), ...partsOf(contentBlocks)]) {
      const name = providerTool(part);
      if (name !== undefined && !outside.some((known) => isKin(known, name)))
        throw ungated(name, "was run by the provider, where no gate could stop it");
    }
  }
}

function partsOf(content: unknown): readonly Part[] {
  return Array.isArray(content) ? content.map((part) => Object(part) as Part) : [];
}

/** What the provider ran, by its name where it has one; undefined for any other part. */
function providerTool({ type, name }: Part): string | undefined {
  if (typeof type !== "string" || !/^server_tool_call$|^.+_tool_use$/.test(type)) return undefined;
  return type.startsWith("mcp_") || typeof name !== "string" ? type : name;
}

/** A tool's type may end in its version, as `web_search_20250305` does; those of MCP servers are offered as one. */
function isKin(known: string, name: string): boolean {
  if (name.startsWith("mcp_") && /^mcp(_toolset)?$/.test(known)) return true;
  return known === name || known.replace(/_(\d{8}|preview.*)$/, "") === name;
}
