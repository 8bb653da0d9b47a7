import { describe, expect, test } from "vitest";
import { knownCapabilities } from "../../src/providers/known-capabilities.ts";
import { isModelError } from "../../src/providers/model-error.ts";
import {
  isKnownProvider,
  planProvider,
  type ProviderSources,
} from "../../src/providers/provider-settings.ts";

function refused(name: string, sources: ProviderSources): unknown {
  try {
    planProvider(name, { env: {}, ...sources });
  } catch (error) {
    return isModelError(error) ? { code: error.code, message: error.message, details: error.details } : error;
  }
  return "accepted";
}

describe("the built-in providers", () => {
  test.each([
    ["anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY", "anthropic", "https://api.anthropic.com/v1"],
    ["openai/gpt-5", "OPENAI_API_KEY", "openai", "https://api.openai.com/v1"],
    [
      "google/gemini-3-pro",
      "GOOGLE_GENERATIVE_AI_API_KEY",
      "google",
      "https://generativelanguage.googleapis.com/v1beta",
    ],
    ["google/gemini-3-pro", "GEMINI_API_KEY", "google", "https://generativelanguage.googleapis.com/v1beta"],
  ])("%s is reached with %s alone", (name, variable, kind, baseUrl) => {
    expect(planProvider(name, { env: { [variable]: " key-1\n" } })).toMatchObject({
      kind,
      baseUrl,
      apiKey: "key-1",
    });
  });

  test.each([
    ["anthropic/m", "ANTHROPIC", "https://proxy.test", "https://proxy.test/v1"],
    ["anthropic/m", "ANTHROPIC", "https://proxy.test/anthropic/v1/", "https://proxy.test/anthropic/v1"],
    ["openai/m", "OPENAI", "https://proxy.test/openai", "https://proxy.test/openai"],
    ["google/m", "GOOGLE", "https://proxy.test", "https://proxy.test/v1beta"],
  ])("%s is asked at %s_BASE_URL %s", (name, prefix, told, baseUrl) => {
    const env = { [`${prefix}_BASE_URL`]: told, [`${prefix}_API_KEY`]: "k", GEMINI_API_KEY: "k" };
    expect(planProvider(name, { env }).baseUrl).toBe(baseUrl);
  });

  test("a missing key is refused with the variables that would hold it", () => {
    expect(refused("anthropic/claude-sonnet-4-5", {})).toMatchObject({
      code: "missing_key",
      message: expect.stringContaining("set ANTHROPIC_API_KEY"),
    });
    expect(refused("google/gemini-3-pro", {})).toMatchObject({
      details: { variables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"] },
    });
    expect(refused("openai/gpt-5", { env: { OPENAI_API_KEY: "  " } })).toMatchObject({ code: "missing_key" });
  });

  test("a key that no header can hold is refused without repeating it", () => {
    const refusal = refused("openai/gpt-5", { env: { OPENAI_API_KEY: "sk-1\nsk-2" } });
    expect(refusal).toMatchObject({ code: "invalid_key", details: { variable: "OPENAI_API_KEY" } });
    expect(JSON.stringify(refusal)).not.toContain("sk-1");
  });
});

describe("OpenAI-compatible endpoints", () => {
  test("openai-compatible is reached at BASIS_BASE_URL, with or without BASIS_API_KEY", () => {
    const env = { BASIS_BASE_URL: "http://localhost:11434/v1" };
    expect(planProvider("openai-compatible/qwen/qwen3:8b", { env })).toEqual({
      ref: { provider: "openai-compatible", id: "qwen/qwen3:8b" },
      kind: "openai-compatible",
      baseUrl: "http://localhost:11434/v1",
    });
    expect(planProvider("openai-compatible/m", { env: { ...env, BASIS_API_KEY: "k" } }).apiKey).toBe("k");
  });

  test("without BASIS_BASE_URL it is refused naming that variable", () => {
    expect(refused("openai-compatible/m", {})).toMatchObject({
      code: "missing_base_url",
      details: { variables: ["BASIS_BASE_URL"] },
    });
  });

  test("any name is one whose own BASE_URL is set, and gets its own key only", () => {
    const env = { LM_STUDIO_BASE_URL: "http://localhost:1234/v1", BASIS_API_KEY: "not-for-you" };
    const plan = planProvider("lm-studio/m", { env });
    expect(plan).toMatchObject({ kind: "openai-compatible", baseUrl: "http://localhost:1234/v1" });
    expect(plan.apiKey).toBeUndefined();
    expect(planProvider("lm-studio/m", { env: { ...env, LM_STUDIO_API_KEY: "own" } }).apiKey).toBe("own");
  });

  test("a configured name takes its settings from the host", () => {
    const capabilities = { forcedChoice: "named", nativeSchema: true } as const;
    const setting = { baseUrl: "https://vllm.test/v1", keyVariable: "VLLM_TOKEN", capabilities };
    const sources = { providers: { gpu: setting }, env: { VLLM_TOKEN: "t" } };
    expect(planProvider("gpu/m", sources)).toMatchObject({
      apiKey: "t",
      baseUrl: setting.baseUrl,
      capabilities,
    });
    expect(refused("gpu/m", { providers: { gpu: setting } })).toMatchObject({
      code: "missing_key",
      details: { variables: ["VLLM_TOKEN"] },
    });
  });
});

describe("what is no provider", () => {
  test("an unknown one is refused with the known ones and the way out", () => {
    expect(refused("acme/m", {})).toMatchObject({
      code: "unknown_provider",
      message: expect.stringContaining("ACME_BASE_URL"),
      details: { provider: "acme", known: ["anthropic", "openai", "google", "openai-compatible"] },
    });
  });

  test.each(["constructor/m", "__proto__/m", "toString/m"])(
    "%s is not found on an object's prototype",
    (name) => {
      expect(refused(name, { providers: {} })).toMatchObject({ code: "unknown_provider" });
    },
  );

  test.each(["", "claude", "/m", "anthropic/"])("%j is no model's name", (name) => {
    expect(refused(name, {})).toMatchObject({ code: "invalid_model" });
  });

  test.each(["localhost:11434", "ftp://x.test", "nonsense", "http://user:secret-pass@x.test"])(
    "%s is no address",
    (told) => {
      const refusal = refused("openai-compatible/m", { env: { BASIS_BASE_URL: told } });
      expect(refusal).toMatchObject({ code: "invalid_base_url", details: { variable: "BASIS_BASE_URL" } });
      expect(JSON.stringify(refusal)).not.toContain("secret-pass");
    },
  );

  test("being registered does not depend on a key", () => {
    expect(isKnownProvider("anthropic", { env: {} })).toBe(true);
    expect(isKnownProvider("acme", { env: {} })).toBe(false);
    expect(isKnownProvider("acme", { env: { ACME_BASE_URL: "http://x.test" } })).toBe(true);
  });
});

describe("capabilities", () => {
  test.each([
    ["anthropic", "claude-sonnet-4-5", "named", true, "anthropic"],
    ["anthropic", "claude-opus-4-1", "named", true, "anthropic"],
    ["anthropic", "claude-opus-4-20250514", "named", false, undefined],
    ["anthropic", "claude-3-5-haiku-latest", "named", false, undefined],
    ["anthropic", "claude-opus-5.5", "none", true, "anthropic"],
    ["anthropic", "claude-mythos-preview", "none", true, "anthropic"],
    ["openai", "gpt-5", "named", true, "openai"],
    ["openai-chat", "gpt-4.1", "named", true, "openai"],
    ["google", "gemini-3-pro", "named", true, "google"],
    ["openai-compatible", "qwen3:8b", "required", false, undefined],
    ["openai-compatible", "deepseek-reasoner", "none", false, undefined],
  ] as const)("%s %s: forced choice %s, native schema %s, dialect %s", (kind, id, ...told) => {
    const { forcedChoice, nativeSchema, dialect } = knownCapabilities(kind, id);
    expect([forcedChoice, nativeSchema, typeof dialect === "object" ? dialect.name : dialect]).toEqual(told);
  });
});
