/** Settings of a model by which its provider searches or calls servers, without any list of tools. */
const PROVIDER_SETTINGS = [
  "web_search_options",
  "search_parameters",
  "searchParameters",
  "plugins",
  "mcp_servers",
  "mcpServers",
];

/** The setting by which the provider would run something itself, if there is one (S15). */
export function providerSetting(settings: unknown): string | undefined {
  return PROVIDER_SETTINGS.find((key) => (Object(settings) as Record<string, unknown>)[key] !== undefined);
}

/** A part of a message that a model wrote; `value` is what the framework has no form of its own for. */
interface Part {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly value?: unknown;
}

/** A message as far as its calls are looked at: as its provider writes them, and as the framework names them. */
interface Reply {
  readonly messages?: unknown;
  readonly content?: unknown;
  readonly contentBlocks?: unknown;
  readonly additional_kwargs?: { readonly tool_outputs?: unknown };
}

/**
 * The first tool that the provider ran by itself in a reply, or in a list of replies (`messages`), and that is not among
 * `outside`; undefined for none. Settings of the model bring such tools where no list shows them (S15).
 */
export function providerTool(reply: unknown, outside: readonly string[]): string | undefined {
  const { messages = [reply] } = Object(reply) as Reply;
  return (messages as readonly unknown[])
    .flatMap((message) => partsIn(Object(message) as Reply).flatMap((part) => toolOf(part) ?? []))
    .find((name) => !outside.some((known) => isKin(known, name)));
}

function partsIn({ content, contentBlocks, additional_kwargs: more }: Reply): readonly Part[] {
  const lists = [content, contentBlocks, more?.tool_outputs].filter((list) => Array.isArray(list));
  return (lists.flat() as readonly unknown[]).flatMap((given) => {
    const part = Object(given) as Part;
    return [part, Object(part.value) as Part];
  });
}

const RAN =
  /^server_tool_call$|_tool_use$|^executable_?code$|^code_?execution_?result$|_call$|^shell_call_output$/i;
/** Calls that wait for whoever receives the reply. */
const WAITING =
  /^(?:invalid_)?tool_call$|^(?:function|custom_tool|computer|local_shell|shell|apply_patch)_call$/;

/** What the provider ran, by its name where it has one; undefined for any other part. */
function toolOf({ type, name }: Part): string | undefined {
  if (typeof type !== "string" || !RAN.test(type) || WAITING.test(type)) return undefined;
  if (/code/i.test(type) && !type.endsWith("_call") && !type.endsWith("_use")) return "code_execution";
  if (type.startsWith("mcp_")) return type;
  return typeof name === "string" ? name : type.replace(/_call(?:_output)?$/, "");
}

/** A tool's type may end in its version, as `web_search_20250305` does; those of MCP servers are offered as one. */
function isKin(known: string, name: string): boolean {
  if (name.startsWith("mcp_") && /^mcp(_toolset)?$/.test(known)) return true;
  return [known, known.replace(/_(\d{8}|preview.*)$/, "")].some((one) => plain(one) === plain(name));
}

/** `codeExecution` and `code_execution` are one tool. */
function plain(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}
