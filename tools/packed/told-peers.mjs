// Runs in a project that holds the packed packages alone: whatever needs somebody else's package says which, and the version.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The packages stand where this file is copied to. @param {string} specifier */
const load = (specifier) => import(specifier);

/** The range that a package's manifest states for a peer. */
const range = (name, peer) => require(`${name}/package.json`).peerDependencies[peer];
const major = (text) => text.replace(/^[^\d]*(\d+).*$/, "$1");

/** @param {string} what @param {() => unknown} work @param {readonly (string | RegExp)[]} says */
async function refuses(what, work, says) {
  const error = await Promise.resolve()
    .then(work)
    .then(
      () => undefined,
      (thrown) => thrown,
    );
  assert.ok(error, `${what} was not refused`);
  const said = `${error.message} ${error.cause?.message ?? ""}`;
  for (const words of says)
    assert.ok(
      typeof words === "string" ? said.includes(words) : words.test(said),
      `${what} does not say ${words}: ${said}`,
    );
}

// What loads a peer by itself, on first use. The arguments say which are there in a version that does not serve.
const { ajvValidator } = await load("@basis/typed-output/ajv");
const draft = (name) => () => ajvValidator().compile({ type: "object" }, { draft: name, schemas: {} });
await refuses("ajv", draft("2020-12"), [`ajv@${range("@basis/typed-output", "ajv")}`]);
await refuses("ajv", draft("draft-07"), [`ajv@${range("@basis/typed-output", "ajv")}`]);
await refuses("ajv", draft("draft-04"), [`ajv-draft-04@${range("@basis/typed-output", "ajv-draft-04")}`]);
const { openCommandRules } = await load("@basis/approval/commands");
const parser = range("@basis/approval", "web-tree-sitter");
await refuses("web-tree-sitter", () => openCommandRules(), [`web-tree-sitter@${parser}`]);

// What is given a framework's objects, and gets those of another version.
const guards = {
  beforeCall: async () => ({ decision: "allow" }),
  afterCall: async () => ({ decision: "allow" }),
};
const gate = { authorize: async () => ({ decision: "deny", text: "no" }), redeem: async () => {} };
const own = { agentId: "main", server: "s", validator: { compile: async () => ({ check: () => [] }) } };
const needs = (name, subpath, peer) => {
  const stated = range(name, peer);
  const versions = stated
    .split("||")
    .map((one) => (stated.startsWith("~") ? stated.slice(1).replace(/\.0$/, "") : major(one)));
  return [`${name}/${subpath}`, new RegExp(versions.map((one) => one.replaceAll(".", "\\.")).join(".*"))];
};
const old = { execute: () => 1, parameters: {} };
const bare = [{ type: "function", name: "old" }];

const hooks = async (subpath) => load(`@basis/hooks/${subpath}`);
const { guardTools } = await hooks("ai-sdk");
await refuses("ai", () => guardTools({ old }, guards, own), needs("@basis/hooks", "ai-sdk", "ai"));
const agents = await hooks("openai-agents");
await refuses(
  "@openai/agents",
  () => agents.guardTools(bare, guards, own),
  needs("@basis/hooks", "openai-agents", "@openai/agents"),
);
const { guardMiddleware } = await hooks("langchain");
await refuses(
  "langchain",
  () => guardMiddleware({}, guards, own),
  needs("@basis/hooks", "langchain", "langchain"),
);
const { guardMcpClient } = await hooks("mcp");
const mcp = needs("@basis/hooks", "mcp", "@modelcontextprotocol/sdk");
await refuses("@modelcontextprotocol/sdk", () => guardMcpClient({}, guards, own), [
  ...mcp,
  "@modelcontextprotocol/client 2",
]);

const approval = async (subpath) => load(`@basis/approval/${subpath}`);
const forAi = await approval("ai-sdk");
await refuses("ai", () => forAi.approveTools({ old }, gate, own), needs("@basis/approval", "ai-sdk", "ai"));
const forAgents = await approval("openai-agents");
await refuses(
  "@openai/agents",
  () => forAgents.approveTools(bare, gate, own),
  needs("@basis/approval", "openai-agents", "@openai/agents"),
);
const { approvalMiddleware } = await approval("langchain");
await refuses(
  "langchain",
  () => approvalMiddleware({}, gate, own),
  needs("@basis/approval", "langchain", "langchain"),
);

const { spawnTool } = await load("@basis/child-policy/langchain");
await refuses("langchain", () => spawnTool({}, own), needs("@basis/child-policy", "langchain", "langchain"));

const output = async (subpath) => load(`@basis/typed-output/${subpath}`);
const { aiSdkRunner } = await output("ai-sdk");
const outdated = { specificationVersion: "v2", provider: "p", modelId: "m" };
await refuses("ai", () => aiSdkRunner({ model: outdated }), needs("@basis/typed-output", "ai-sdk", "ai"));
const { openAiAgentsRunner } = await output("openai-agents");
await refuses(
  "@openai/agents",
  () => openAiAgentsRunner({ model: {}, modelId: "m" }),
  needs("@basis/typed-output", "openai-agents", "@openai/agents"),
);
const { langchainRunner } = await output("langchain");
await refuses("langchain", () => langchainRunner({ model: {} }), [
  "@basis/typed-output/langchain",
  "LangChain 1",
]);
const { anthropicRunner } = await output("anthropic");
await refuses(
  "@anthropic-ai/sdk",
  () => anthropicRunner({ client: {}, model: "m", maxTokens: 1 }),
  needs("@basis/typed-output", "anthropic", "@anthropic-ai/sdk"),
);
